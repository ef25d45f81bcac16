import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../core/errors";
import { newToken } from "../../core/random";
import { acceptedCoding } from "./accepted-coding";
import { type BuiltFile, readBuiltFiles } from "./built-files";

/** URL path of the dashboard. */
export const DASHBOARD_PATH = "/dashboard";
/** Folder of the files whose names contain a hash of their content. */
const HASHED = "assets/";
const INDEX = "index.html";
/** What the page has in place of the nonce of each response. */
const NONCE = "{{nonce}}";
/** What it has in place of the names of the explorers that the server has. */
const EXPLORERS = "{{explorers}}";

/** Headers of every response below the path. No other origin may read, frame or keep a reference to the page. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin-allow-popups",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
};

/**
 * Content Security Policy of the page: scripts, styles and connections of this server only. The components add style
 * elements, each with the nonce of the response; there is no inline script.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Registers the dashboard: its built files, and its page at every other path below /dashboard, whose script shows the
 * view of that path.
 * @param folder of the build
 * @param explorers the pages to try operations that this server has
 * @returns false if the folder has no build; the paths then say so
 */
export function registerDashboard(
  server: FastifyInstance,
  folder: string,
  explorers: readonly ("graphiql" | "docs")[],
): boolean {
  const files = readBuiltFiles(folder);
  const index = files?.get(INDEX);
  const options = { config: { counts: "request" } } as const;
  server.register(async (scope) => {
    scope.addHook("onRequest", (_request, reply, done) => {
      for (const name of Object.keys(reply.getHeaders())) {
        if (name.startsWith("access-control-")) reply.removeHeader(name);
      }
      reply.headers(HEADERS);
      done();
    });
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!files || !index) {
        throw new Fault("NOT_FOUND", "The dashboard is not built: run npm run build, then restart");
      }
      const { "*": path = "" } = request.params as { "*"?: string };
      const file = path === INDEX ? index : files.get(path);
      if (file && file !== index) return sendFile(request, reply, path, file);
      if (path.startsWith(HASHED)) throw new Fault("NOT_FOUND", "Not found");
      return sendPage(reply, index, explorers.join(" "));
    };
    scope.get(DASHBOARD_PATH, options, answer);
    scope.get(`${DASHBOARD_PATH}/*`, options, answer);
  });
  return index !== undefined;
}

async function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  path: string,
  file: BuiltFile,
): Promise<FastifyReply> {
  const coding = acceptedCoding(headers["accept-encoding"], file.codings);
  const { content, etag } = await file.load(coding);
  reply.headers({
    "cache-control": path.startsWith(HASHED)
      ? "public, max-age=31536000, immutable"
      : "public, max-age=3600",
    etag,
    vary: "Accept-Encoding",
  });
  if (headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.type(file.type).send(content);
}

/**
 * Sends the page. It has no ETag: a browser that gets 304 would show the stored page, whose nonce is not that of the
 * new policy.
 */
async function sendPage(
  reply: FastifyReply,
  index: BuiltFile,
  explorers: string,
): Promise<FastifyReply> {
  const { content } = await index.load(null);
  const nonce = newToken();
  return reply
    .headers({ "cache-control": "no-cache", "content-security-policy": policyWith(nonce) })
    .type(index.type)
    .send(content.toString("utf8").replace(NONCE, nonce).replace(EXPLORERS, explorers));
}
