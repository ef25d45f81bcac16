import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { packageRoot } from "../../core/package-root";

/** Whether a browser requests a page. Other clients accept anything, or JSON. */
export function acceptsHtml({ accept = "" }: IncomingHttpHeaders): boolean {
  return accept.includes("text/html");
}

/**
 * Serves files of packages below a URL path. A file is read when it is first requested.
 * @param names as bin/page-files.js names them
 */
export function registerPageFiles(
  server: FastifyInstance,
  folder: string,
  names: readonly string[],
): void {
  for (const name of names) {
    let content: Promise<Buffer> | null = null;
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    server.get(`${folder}/${name}`, { config: { counts: "request" } }, async (_, reply) => {
      content ??= readFile(join(packageRoot(), "dist/pages", name));
      reply
        .type(`${type}; charset=utf-8`)
        .header("cache-control", "public, max-age=86400")
        .header("x-content-type-options", "nosniff");
      return content;
    });
  }
}
