import { randomUUID } from "node:crypto";
import { type ApnsTrust, validateApnsPush } from "./apns-rules";
import { type Behaviour, Script } from "./behaviour";
import { ReceivedItems } from "./received-items";
import {
  type ReceivedRequest,
  type Reply,
  type SecureServer,
  type ServerOptions,
  startSecureServer,
} from "./secure-server";

/** A push that the APNs stand-in received. */
export interface ApnsReceived {
  device: string;
  headers: Record<string, string>;
  payload: string;
  connection: number;
  status: number;
  /** Reason of the error response; null if accepted. */
  reason: string | null;
}

/** Stand-in for Apple's push service. */
export interface ApnsStandIn extends SecureServer {
  script: Script;
  received: ReceivedItems<ApnsReceived>;
  trust: ApnsTrust;
}

/** Default reason for each status. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadDeviceToken",
  403: "InvalidProviderToken",
  410: "Unregistered",
  413: "PayloadTooLarge",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable",
};

/** Starts the APNs stand-in ("Sending notification requests to APNs" and "Handling … responses"). */
export async function startApns(place: ServerOptions, trust: ApnsTrust): Promise<ApnsStandIn> {
  const script = new Script();
  const received = new ReceivedItems<ApnsReceived>();
  const server = await startSecureServer(place, (asked) => {
    const device = asked.path.slice(asked.path.lastIndexOf("/") + 1);
    const refusal = validateApnsPush(asked, trust);
    const behaviour: Behaviour = refusal ? { kind: "answer", ...refusal } : script.next(device);
    const reply = replyTo(asked, behaviour);
    received.add({
      device,
      headers: asked.headers,
      payload: asked.body.toString("utf8"),
      connection: asked.connection,
      status: reply.status,
      reason: reply.body ? JSON.parse(reply.body).reason : null,
    });
    return { reply, behaviour };
  });
  return { ...server, script, received, trust };
}

function replyTo({ headers }: ReceivedRequest, behaviour: Behaviour): Reply {
  const id = { "apns-id": headers["apns-id"] ?? randomUUID().toUpperCase() };
  if (behaviour.kind !== "answer") return { status: 200, headers: id };
  const { status } = behaviour;
  const reason = behaviour.reason ?? REASONS[status] ?? "InternalServerError";
  return {
    status,
    headers: { ...id, "content-type": "application/json", ...behaviour.headers },
    body: JSON.stringify({ reason, ...(status === 410 && { timestamp: Date.now() }) }),
  };
}
