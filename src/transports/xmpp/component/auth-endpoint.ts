import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../core/clock";
import { ERRORS, type Fault, toFault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { hashToken } from "../../../core/random";
import type { Party } from "../../../domain/calls/signals/signal";
import type { SignInAttempt, SuccessfulSignIn } from "../c2s/services";
import { parseUser } from "../stanza/jid";

/** Path of the endpoint that a chat server calls to authenticate its users. */
export const SIGN_IN_PATH = "/chat/sign-in";

/** Maximum size of a request body (user, password, address), in bytes. */
const MAX_BODY_BYTES = 16_384;

/** Minimum interval of log entries about requests without the secret, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/** Dependencies of the auth endpoint. */
export interface AuthEndpointDeps {
  /** The secret that the chat server sends as `Authorization: Bearer`. */
  secret: string;
  log: Log;
  clock: Clock;
  metrics: Pick<Metrics, "chatServerSignIns">;
  /**
   * Checks a password or a session token.
   * @throws Fault UNAUTHENTICATED, the same for an unknown user and a wrong secret; LIMITED
   */
  authenticate(attempt: SignInAttempt): Promise<SuccessfulSignIn>;
  /** Counts a request of an address. Returns the fault if the address is over its limit. */
  arrive(ip: string): Fault | null;
  /** Called for each allowed sign-in; `sessionId` is null after a sign-in by password. */
  onSignIn?(user: Party, sessionId: number | null): void;
}

/**
 * Registers POST /chat/sign-in, with which the chat server authenticates its users. The request is the JSON
 * `{"user": "42-7", "password": "…", "ip": "…"}`, where `ip` is optional. The response is
 * `{"allowed": true, "session": 12}`, with `session` null after a sign-in by password, or
 * `{"allowed": false}`. 429 and 503 mean that the credentials could not be checked now. Without the secret,
 * the response is the same 404 as for an unknown path.
 */
export function registerAuthEndpoint(server: FastifyInstance, deps: AuthEndpointDeps): void {
  const expected = hashToken(`Bearer ${deps.secret}`);
  const { log, clock, metrics } = deps;
  let unlogged = 0;
  let silentUntil = 0;
  const countUnauthorized = (ip: string) => {
    metrics.chatServerSignIns.inc({ outcome: "unauthorized" });
    unlogged += 1;
    if (clock.now() < silentUntil) return;
    log.info({ ip, requests: unlogged }, "chat sign-in requests without the secret");
    silentUntil = clock.now() + LOG_INTERVAL_MS;
    unlogged = 0;
  };
  server.route({
    method: "POST",
    url: SIGN_IN_PATH,
    bodyLimit: MAX_BODY_BYTES,
    // The chat server's own requests are not limited; sign-ins are, by the address that it sends.
    config: { counts: "by itself" },
    // Before the body is read, so that a client without the secret learns nothing, not even a limit.
    async onRequest(request, reply) {
      const actual = hashToken(request.headers.authorization ?? "");
      if (timingSafeEqual(actual, expected)) return;
      const limited = deps.arrive(request.ip ?? "");
      if (limited) throw limited;
      countUnauthorized(request.ip);
      return reply.callNotFound();
    },
    handler: (request, reply) => handleSignIn(deps, request, reply),
  });
}

async function handleSignIn(
  { log, metrics, authenticate, onSignIn }: AuthEndpointDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const count = (outcome: string) => metrics.chatServerSignIns.inc({ outcome });
  const attempt = readAttempt(request.body);
  if (attempt === "malformed") {
    count("malformed");
    return reply.code(400).send({ allowed: false });
  }
  if (attempt === null) {
    count("denied");
    return reply.send({ allowed: false });
  }
  try {
    const { sessionId, confirm } = await authenticate(attempt);
    // Recorded before the second check, so that the chat server is notified of a termination from now on.
    onSignIn?.(attempt, sessionId);
    await confirm();
    count("allowed");
    return reply.send({ allowed: true, session: sessionId });
  } catch (error) {
    const fault = toFault(error);
    if (fault !== error) log.error({ err: error }, "a sign-in at the chat server failed");
    const checked = !["LIMITED", "UNAVAILABLE", "INTERNAL"].includes(fault.code);
    count(checked ? "denied" : "unavailable");
    return checked ? reply.send({ allowed: false }) : sendUnavailable(reply, fault);
  }
}

/** The response if the credentials could not be checked. */
function sendUnavailable(reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.retryAfter !== undefined) reply.header("retry-after", fault.retryAfter);
  return reply.code(ERRORS[fault.code].http).send({ allowed: false });
}

/** Parses a request body; null for a user name or password that cannot exist. */
function readAttempt(body: unknown): SignInAttempt | "malformed" | null {
  const { user, password, ip } = (body ?? {}) as Record<string, unknown>;
  if (typeof user !== "string" || typeof password !== "string") return "malformed";
  if (ip !== undefined && ip !== null && typeof ip !== "string") return "malformed";
  const party = parseUser(user);
  return party && password !== "" ? { ...party, secret: password, ip: ip || null } : null;
}
