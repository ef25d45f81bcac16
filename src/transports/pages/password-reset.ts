import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ERRORS, Fault, toFault } from "../../core/errors";
import { findResetLink, resetPassword } from "../../domain/password-reset/password-reset";
import type { PasswordResetDeps } from "../../domain/password-reset/password-reset-deps";
import { RESET_PATH } from "../../domain/password-reset/reset-mail";
import { pageHeaders } from "./layout";
import { errorPage, expiredLinkPage, type FormErrors, formPage, successPage } from "./reset-pages";

/** Status for a used, expired or unknown link (RFC 9110 section 15.5.11). */
const GONE = 410;
/** Maximum size of a form in bytes: two percent-encoded passwords of 255 characters, and the token. */
const FORM_MAX = 16_384;
const PAGE_HEADERS = pageHeaders();

/**
 * Registers the page that a password reset link opens. It has its own Fastify scope, which parses forms and
 * renders errors as pages.
 */
export function registerPages(server: FastifyInstance, deps: PasswordResetDeps): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: FORM_MAX },
      (_request, text, done) => done(null, new URLSearchParams(String(text))),
    );
    scope.addHook("onRequest", (_request, reply, done) => {
      setPageHeaders(reply);
      done();
    });
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply));
    const options = { config: { counts: "request" } } as const;
    scope.get(RESET_PATH, options, (request, reply) => showForm(deps, request, reply));
    scope.post(RESET_PATH, options, (request, reply) => submitForm(deps, request, reply));
  });
}

/** Sets the headers of pages and removes CORS headers, so that no other origin can read a page. */
function setPageHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    if (name.startsWith("access-control-")) reply.removeHeader(name);
  }
  reply.headers(PAGE_HEADERS);
}

async function showForm(
  deps: PasswordResetDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.query as { token?: unknown };
  const owner = typeof token === "string" ? await findResetLink(deps, token) : null;
  if (owner === null || typeof token !== "string") return reply.code(GONE).send(expiredLinkPage());
  return reply.send(formPage(token, owner));
}

async function submitForm(
  deps: PasswordResetDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.headers["sec-fetch-site"] === "cross-site") {
    throw new Fault("FORBIDDEN", "Forms of other sites are not taken. Open the link in the mail.");
  }
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const token = form.get("token") ?? "";
  const password = form.get("password") ?? "";
  const owner = await findResetLink(deps, token);
  if (owner === null) return reply.code(GONE).send(expiredLinkPage());
  const reject = (problems: FormErrors) =>
    reply.code(ERRORS.INVALID.http).send(formPage(token, owner, problems));
  if (password !== (form.get("repeat") ?? "")) {
    return reject({ repeat: "The two passwords are not the same." });
  }
  try {
    await resetPassword(deps, token, password, request.ip);
  } catch (error) {
    const fields = error instanceof Fault && error.code === "INVALID" ? error.fields : undefined;
    const problem = fields?.password?.[0];
    if (problem) return reject({ password: `The password ${problem}.` });
    // The link was used concurrently.
    if (fields?.token) return reply.code(GONE).send(expiredLinkPage());
    throw error;
  }
  return reply.send(successPage());
}

/** Renders an error as a page. Unexpected errors are logged, and the page contains no details. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Fastify removes the content type when an error is thrown, even before the hook above.
  setPageHeaders(reply);
  if (error instanceof Fault && error.code !== "INTERNAL") {
    const { code, message, retryAfter } = error;
    if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
    const retryable = code === "UNAVAILABLE" || code === "LIMITED";
    const title = retryable ? "Try again in a moment" : "That did not work";
    return reply.code(ERRORS[code].http).send(errorPage(title, message));
  }
  const status = statusOf(error);
  if (status !== null) {
    return reply.code(status).send(errorPage("That did not work", "The request is not valid."));
  }
  request.log.error({ err: error, requestId: request.id }, "A request failed");
  const { message } = toFault(error);
  return reply.code(ERRORS.INTERNAL.http).send(errorPage("That did not work", `${message}.`));
}

/** The 4xx status of Fastify's own errors, such as a body that is too large or not a form; otherwise null. */
function statusOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const { statusCode } = error as Error & { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500
    ? statusCode
    : null;
}
