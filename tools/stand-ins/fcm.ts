import { randomInt } from "node:crypto";
import { type Behaviour, Script } from "./behaviour";
import { validateMessage } from "./fcm-rules";
import { FcmTokens, type ServiceAccount } from "./fcm-tokens";
import { ReceivedItems } from "./received-items";
import {
  type ReceivedRequest,
  type Reply,
  type SecureServer,
  type ServerOptions,
  startSecureServer,
} from "./secure-server";

/** A message that the FCM stand-in received. */
export interface FcmReceived {
  /** Registration token; empty for a topic. */
  device: string;
  headers: Record<string, string>;
  message: Record<string, unknown>;
  text: string;
  validateOnly: boolean;
  connection: number;
  status: number;
  /** Message of the error response; null if accepted. */
  reason: string | null;
}

/** Stand-in for Firebase Cloud Messaging and its token endpoint. */
export interface FcmStandIn extends SecureServer {
  script: Script;
  received: ReceivedItems<FcmReceived>;
  tokens: FcmTokens;
  tokenUrl: string;
}

/** Status, FCM error code and google.rpc status for a scripted status; 410 selects FCM's 404. */
const CODES: Readonly<Record<number, [status: number, code: string, rpc: string]>> = {
  400: [400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
  401: [401, "", "UNAUTHENTICATED"],
  403: [403, "SENDER_ID_MISMATCH", "PERMISSION_DENIED"],
  404: [404, "UNREGISTERED", "NOT_FOUND"],
  410: [404, "UNREGISTERED", "NOT_FOUND"],
  413: [400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
  429: [429, "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED"],
  500: [500, "INTERNAL", "INTERNAL"],
  503: [503, "UNAVAILABLE", "UNAVAILABLE"],
};

const INVALID_TOKEN = "The registration token is not a valid FCM registration token";

function errorReply(
  scriptedStatus: number,
  message: string,
  options: { field?: string; code?: string; headers?: Record<string, string> } = {},
): Reply {
  const [status, code, rpc] = CODES[scriptedStatus] ?? [scriptedStatus, "", "UNKNOWN"];
  const errorCode = options.code ?? code;
  const details = [
    ...(errorCode
      ? [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }]
      : []),
    ...(options.field !== undefined
      ? [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: options.field, description: message }],
          },
        ]
      : []),
  ];
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...options.headers },
    body: JSON.stringify({ error: { code: status, message, status: rpc, details } }),
  };
}

/** Starts the FCM stand-in (firebase.google.com "FCM HTTP v1", "ErrorCode"). */
export async function startFcm(
  place: ServerOptions,
  account: ServiceAccount,
  lifeS?: number,
): Promise<FcmStandIn> {
  const script = new Script();
  const received = new ReceivedItems<FcmReceived>();
  const tokens = new FcmTokens(account, lifeS);
  const server = await startSecureServer(place, (asked) => {
    if (asked.path === "/token") return { reply: tokens.exchange(asked) };
    const text = asked.body.toString("utf8");
    const { message, validate_only: validateOnly = false } = readJson(text);
    const device = typeof message?.token === "string" ? message.token : "";
    const name = `projects/${account.projectId}/messages/0:${Date.now()}%${randomInt(2 ** 40)}`;
    let behaviour: Behaviour = { kind: "ok" };
    let reply = refusal(asked, message);
    if (!reply && !validateOnly) {
      behaviour = script.next(device);
      if (behaviour.kind === "answer") reply = scriptedReply(behaviour);
    }
    reply ??= { status: 200, body: JSON.stringify({ name }) };
    received.add({
      device,
      text,
      validateOnly,
      message: message ?? {},
      headers: asked.headers,
      connection: asked.connection,
      status: reply.status,
      reason: reply.status === 200 ? null : (readJson(reply.body ?? "").error?.message ?? null),
    });
    return { reply, behaviour };
  });
  const refusal = ({ method, path, headers }: ReceivedRequest, message: unknown): Reply | null => {
    const project = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(path)?.[1];
    if (project === undefined || method !== "POST") return { status: 404, body: "<html></html>" };
    if (!tokens.isValid(headers.authorization)) {
      return errorReply(401, "Request had invalid authentication credentials.");
    }
    if (project !== account.projectId) {
      return errorReply(403, "Permission 'cloudmessaging.messages.create' denied", { code: "" });
    }
    const violation = validateMessage(message);
    if (!violation) return null;
    const { field, description } = violation;
    // For schema violations, Firebase returns a google.rpc status without an FCM error code.
    const code = field === "message.token" || field === "message" ? undefined : "";
    return errorReply(400, description, { field, code });
  };
  return { ...server, script, received, tokens, tokenUrl: `${server.url}/token` };
}

function scriptedReply({ status, reason, headers }: Behaviour & { kind: "answer" }): Reply {
  const field = status === 400 && reason === undefined ? "message.token" : undefined;
  const message = status === 400 ? INVALID_TOKEN : "Scripted error.";
  return errorReply(status, message, { field, code: reason, headers });
}

interface Json {
  message?: Record<string, unknown>;
  validate_only?: boolean;
  error?: { message?: string };
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
