import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { packageRoot } from "../../src/core/package-root";
import type { ServerCredentials } from "../server";
import { createApplicationSession, type DemoUser } from "./demo-users";

/** The running web server of the page. */
export interface PageServer {
  url: string;
  close(): Promise<void>;
}

/** Another page than the one of calls. */
export interface PageContent {
  /** Folder of its files, relative to the package. */
  folder: string;
  /** What its setting.json has besides. */
  setting: object;
  /** URLs that it connects to besides. */
  connect?: string[];
}

const CALL_PAGE: PageContent = { folder: "demo/call/page", setting: {} };
/** Folders with the browser modules of packages that the page imports. */
const PACKAGES: Record<string, string> = {
  "@signalbox/client": join(packageRoot(), "dist/client/src"),
  "graphql-ws": dirname(require.resolve("graphql-ws")),
  "strophe.js": dirname(require.resolve("strophe.js")),
};
/** The modules that are imported by name. */
const MODULES: Record<string, string> = {
  "@signalbox/client": "@signalbox/client/index.js",
  "graphql-ws": "graphql-ws/client.js",
  "graphql-ws/client": "graphql-ws/client.js",
  "strophe.js": "strophe.js/strophe.esm.js",
};
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Serves the page on the loopback address, where browsers allow camera and microphone without TLS. It plays
 * the part of the application's own web server: it serves the files and signs sessions.
 * @param port preferred port; any free port if it is in use
 */
export async function servePage(
  credentials: ServerCredentials,
  people: DemoUser[],
  port = 0,
  page = CALL_PAGE,
): Promise<PageServer> {
  const folder = join(packageRoot(), page.folder);
  const headers = {
    "Content-Security-Policy": policy(credentials, page.connect),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  };
  const setting = {
    baseUrl: credentials.base_url,
    chatUrl: credentials.chat_url,
    chatDomain: credentials.chat_domain,
    applicationId: credentials.application_id,
    people,
    ...page.setting,
  };
  async function answer({
    method,
    url = "/",
  }: IncomingMessage): Promise<[string, string | Buffer]> {
    const { pathname } = new URL(url, "http://page");
    if (method === "POST" && pathname === "/session") {
      return [".json", JSON.stringify({ token: await createApplicationSession(credentials) })];
    }
    if (pathname === "/setting.json") return [".json", JSON.stringify(setting)];
    return readAsset(folder, pathname === "/" ? "/index.html" : pathname);
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ([type, content]) => {
        response.writeHead(200, { ...headers, "Content-Type": TYPES[type] ?? "application/json" });
        response.end(content);
      },
      (error: NodeJS.ErrnoException) => {
        const isUnknown = error.code === "ENOENT";
        const status = isUnknown ? 404 : 500;
        // Without the path of the file.
        const message = isUnknown ? "Not found" : error.message;
        response.writeHead(status, { ...headers, "Content-Type": "application/json" });
        response.end(JSON.stringify({ message }));
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

/** The path of a module of a package; no segment of it can be `..`. */
const PACKAGED = /^\/packages\/((?:@[\w-]+\/)?[\w.-]+)\/((?:[\w-]+\/)*[\w.-]+\.js)$/;

/** The type and content of a file of the page or a package. @throws Error ENOENT if it does not exist */
async function readAsset(page: string, path: string): Promise<[string, string | Buffer]> {
  const [, name = "", file = ""] = PACKAGED.exec(path) ?? [];
  const packaged = Object.hasOwn(PACKAGES, name) ? PACKAGES[name] : undefined;
  if (packaged) return [".js", resolveImports(await readFile(join(packaged, file), "utf8"))];
  // Only names of one segment, to prevent path traversal.
  const own = /^\/([\w-]+\.(?:html|css|js|svg))$/.exec(path)?.[1];
  if (own === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  const content = await readFile(join(page, own));
  const type = extname(own);
  return [type, type === ".js" ? resolveImports(content.toString()) : content];
}

/**
 * Replaces package names in imports by URLs, because browsers do not resolve names. An import map would be an
 * inline script, which the page's Content-Security-Policy forbids.
 */
function resolveImports(module: string): string {
  return module.replace(/((?:from|import) ")([^"./][^"]*)(")/g, (text, before, name, after) => {
    const path = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined;
    return path === undefined ? text : `${before}/packages/${path}${after}`;
  });
}

/** The Content-Security-Policy: nothing inline, no foreign sources, connections only to the service. */
function policy({ graphql_url, chat_url }: ServerCredentials, more: string[] = []): string {
  const socket = graphql_url.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${[graphql_url, socket, chat_url, ...more].map((url) => new URL(url).origin).join(" ")}`,
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
