import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Party } from "../../calls/signal";
import { ERRORS, type Fault, toFault } from "../../core/errors";
import type { Log } from "../../core/log";
import { hashToken } from "../../core/random";
import { parseUser } from "../jid";
import type { Admission } from "../services";

/** Where a chat server asks who may sign in. */
export const SIGN_IN_PATH = "/chat/sign-in";

/** Bytes of a question at most: a name, a secret, an address. */
const BODY_MAX = 16_384;

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
  /**
   * Checks a password or a session token.
   * @throws Fault UNAUTHENTICATED, the same for an unknown user and a wrong secret; LIMITED
   */
  authenticate(question: Question): Promise<Admission>;
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
  server.route({
    method: "POST",
    url: SIGN_IN_PATH,
    bodyLimit: BODY_MAX,
    // Before the body is read: nobody without the secret learns anything, not even by a limit.
    async onRequest(request, reply) {
      const shown = hashToken(request.headers.authorization ?? "");
      if (timingSafeEqual(shown, expected)) return;
      parts.log.warn({ ip: request.ip }, "somebody without the secret asked who may sign in");
      return reply.callNotFound();
    },
    handler: (request, reply) => answer(parts, request, reply),
  });
}

async function answer(
  { log, authenticate, onSignIn }: SignInDoorParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const question = readQuestion(request.body);
  if (question === "malformed") return reply.code(400).send({ allowed: false });
  if (question === null) return reply.send({ allowed: false });
  try {
    const { sessionId, confirm } = await authenticate(question);
    // Noted first: what ends from here on is told to the chat server.
    onSignIn?.(question, sessionId);
    await confirm();
    return reply.send({ allowed: true, session: sessionId });
  } catch (error) {
    const fault = toFault(error);
    if (fault !== error) log.error({ err: error }, "a sign-in at the chat server failed");
    return refuse(reply, fault);
  }
}

function refuse(reply: FastifyReply, fault: Fault): FastifyReply {
  if (!["LIMITED", "UNAVAILABLE", "INTERNAL"].includes(fault.code)) {
    return reply.send({ allowed: false });
  }
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
