import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { packageRoot } from "../../src/core/package-root";
import type { Credentials } from "../server";
import { applicationSession, type DemoUser } from "./people";

/** The page, as it is being served. */
export interface PageServer {
  url: string;
  close(): Promise<void>;
}

const PAGE = join(packageRoot(), "demo/call/page");
/** Packages that the page imports by name, their modules for browsers, and where those are served. */
const PACKAGES: Record<string, { folder: string; entry: string }> = {
  "graphql-ws": { folder: dirname(require.resolve("graphql-ws")), entry: "client.js" },
  "strophe.js": { folder: dirname(require.resolve("strophe.js")), entry: "strophe.esm.js" },
};
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Serves the page on the loopback address, where browsers give camera and microphone without TLS. It is
 * what an application's own web server would be: it has the files, and signs the sessions.
 * @param port taken where it is free, else any
 */
export async function servePage(
  credentials: Credentials,
  people: DemoUser[],
  port = 0,
): Promise<PageServer> {
  const headers = {
    "Content-Security-Policy": policy(credentials),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  };
  const setting = {
    graphqlUrl: credentials.graphql_url,
    chatUrl: credentials.chat_url,
    chatDomain: credentials.chat_domain,
    applicationId: credentials.application_id,
    people,
  };
  async function answer({
    method,
    url = "/",
  }: IncomingMessage): Promise<[string, string | Buffer]> {
    const { pathname } = new URL(url, "http://page");
    if (method === "POST" && pathname === "/session") {
      return [".json", JSON.stringify({ token: await applicationSession(credentials) })];
    }
    if (pathname === "/setting.json") return [".json", JSON.stringify(setting)];
    return readPart(pathname === "/" ? "/index.html" : pathname);
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ([type, content]) => {
        response.writeHead(200, { ...headers, "Content-Type": TYPES[type] ?? "application/json" });
        response.end(content);
      },
      (error: NodeJS.ErrnoException) => {
        response.writeHead(error.code === "ENOENT" ? 404 : 500, headers).end();
      },
    );
  });
  await listen(server, port).catch(() => listen(server, 0));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The type and content of a file of the page or of a package. @throws Error ENOENT when there is none */
async function readPart(path: string): Promise<[string, string | Buffer]> {
  const [, name = "", file = ""] = /^\/packages\/([^/]+)\/([\w.-]+\.js)$/.exec(path) ?? [];
  const packaged = Object.hasOwn(PACKAGES, name) ? PACKAGES[name] : undefined;
  if (packaged) return [".js", await readFile(join(packaged.folder, file))];
  // Names of one segment, so that none leads out of the folder.
  const own = /^\/([\w-]+\.(?:html|css|js|svg))$/.exec(path)?.[1];
  if (own === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  const content = await readFile(join(PAGE, own));
  const type = extname(own);
  return [type, type === ".js" ? withAddresses(content.toString()) : content];
}

/**
 * The modules of the page import packages by name, as a bundler has it; a browser wants addresses. (An
 * import map would be an inline script, which the page's policy does not allow.)
 */
function withAddresses(module: string): string {
  return module.replace(/(from ")([^"./][^"]*)(")/g, (text, before, name, after) => {
    const packaged = PACKAGES[name];
    return packaged ? `${before}/packages/${name}/${packaged.entry}${after}` : text;
  });
}

/** Nothing inline, nothing from elsewhere, and connections to the service alone. */
function policy({ graphql_url, chat_url }: Credentials): string {
  const socket = graphql_url.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${[graphql_url, socket, chat_url].map((url) => new URL(url).origin).join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
