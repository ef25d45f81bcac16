import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";

/** Files by served name: npm package, and path in the package. */
export type PackageFiles = Readonly<Record<string, readonly [packageName: string, file: string]>>;

/** Whether a browser requests a page. Other clients accept anything, or JSON. */
export function acceptsHtml({ accept = "" }: IncomingHttpHeaders): boolean {
  return accept.includes("text/html");
}

/** Serves files of installed packages below a URL path. A file is read when it is first requested. */
export function registerPackageFiles(
  server: FastifyInstance,
  folder: string,
  files: PackageFiles,
): void {
  for (const [name, [packageName, file]] of Object.entries(files)) {
    let content: Promise<Buffer> | null = null;
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    server.get(`${folder}/${name}`, { config: { counts: "request" } }, async (_, reply) => {
      content ??= readFile(join(packageFolder(packageName), file));
      reply
        .type(`${type}; charset=utf-8`)
        .header("cache-control", "public, max-age=86400")
        .header("x-content-type-options", "nosniff");
      return content;
    });
  }
}

function packageFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}
