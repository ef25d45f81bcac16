import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Party } from "../../calls/signal";
import type { Clock } from "../../core/clock";
import { ERRORS, type Fault, toFault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { hashToken } from "../../core/random";
import { parseUser } from "../jid";
import type { Admission } from "../services";

/** Where a chat server asks who may sign in. */
export const SIGN_IN_PATH = "/chat/sign-in";

/** Bytes of a question at most: a name, a secret, an address. */
const BODY_MAX = 16_384;

/** Milliseconds between two lines of the log about requests without the secret. */
const LOG_MS = 60_000;

/** A question that a chat server asks. */
interface Question {
  applicationId: number;
  userId: number;
  secret: string;
  /** Null where the chat server does not know it, or does not say. */
  ip: string | null;
}

/** What the door stands on. */
export interface SignInDoorParts {
  /** What the chat server shows, as `Authorization: Bearer`. */
  secret: string;
  log: Log;
  clock: Clock;
  metrics: Pick<Metrics, "chatSignIns">;
  /**
   * Checks a password or a session token.
   * @throws Fault UNAUTHENTICATED, the same for an unknown user and a wrong secret; LIMITED
   */
  authenticate(question: Question): Promise<Admission>;
  /** Counts a request of an address; answers why it is refused. */
  arrive(ip: string): Fault | null;
  /** Called with everybody who is let in, and the session of a token. */
  onSignIn?(user: Party, sessionId: number | null): void;
}

/**
 * POST /chat/sign-in: the chat server asks whether somebody may sign in, with the JSON
 * `{"user": "42-7", "password": "…", "ip": "…"}`, where `ip` may be left out. The answer is
 * `{"allowed": true, "session": 12}`, the session being null for a password, or `{"allowed": false}`.
 * 429 and 503 say that it could not be judged now. Without the secret the path is one like any other
 * that does not exist.
 */
export function registerSignInDoor(server: FastifyInstance, parts: SignInDoorParts): void {
  const expected = hashToken(`Bearer ${parts.secret}`);
  const { log, clock, metrics } = parts;
  let unlogged = 0;
  let silentUntil = 0;
  const noteStranger = (ip: string) => {
    metrics.chatSignIns.inc({ outcome: "without secret" });
    unlogged += 1;
    if (clock.now() < silentUntil) return;
    log.info({ ip, requests: unlogged }, "somebody without the secret asked who may sign in");
    silentUntil = clock.now() + LOG_MS;
    unlogged = 0;
  };
  server.route({
    method: "POST",
    url: SIGN_IN_PATH,
    bodyLimit: BODY_MAX,
    // The chat server asks for many, each counted by the address that it tells.
    config: { counts: "by itself" },
    // Before the body is read: nobody without the secret learns anything, not even by a limit.
    async onRequest(request, reply) {
      const shown = hashToken(request.headers.authorization ?? "");
      if (timingSafeEqual(shown, expected)) return;
      const refusal = parts.arrive(request.ip ?? "");
      if (refusal) throw refusal;
      noteStranger(request.ip);
      return reply.callNotFound();
    },
    handler: (request, reply) => answer(parts, request, reply),
  });
}

async function answer(
  { log, metrics, authenticate, onSignIn }: SignInDoorParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const count = (outcome: string) => metrics.chatSignIns.inc({ outcome });
  const question = readQuestion(request.body);
  if (question === "malformed") {
    count("malformed");
    return reply.code(400).send({ allowed: false });
  }
  if (question === null) {
    count("refused");
    return reply.send({ allowed: false });
  }
  try {
    const { sessionId, confirm } = await authenticate(question);
    // Noted first: what ends from here on is told to the chat server.
    onSignIn?.(question, sessionId);
    await confirm();
    count("allowed");
    return reply.send({ allowed: true, session: sessionId });
  } catch (error) {
    const fault = toFault(error);
    if (fault !== error) log.error({ err: error }, "a sign-in at the chat server failed");
    const judged = !["LIMITED", "UNAVAILABLE", "INTERNAL"].includes(fault.code);
    count(judged ? "refused" : "unavailable");
    return judged ? reply.send({ allowed: false }) : postpone(reply, fault);
  }
}

/** Says that it could not be judged now. */
function postpone(reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.retryAfter !== undefined) reply.header("retry-after", fault.retryAfter);
  return reply.code(ERRORS[fault.code].http).send({ allowed: false });
}

/** The question; null for a name that nobody can have. */
function readQuestion(body: unknown): Question | "malformed" | null {
  const { user, password, ip } = (body ?? {}) as Record<string, unknown>;
  if (typeof user !== "string" || typeof password !== "string") return "malformed";
  if (ip !== undefined && ip !== null && typeof ip !== "string") return "malformed";
  const party = parseUser(user);
  return party && password !== "" ? { ...party, secret: password, ip: ip || null } : null;
}
