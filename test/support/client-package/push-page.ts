import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import ts from "typescript";
import type { TestNode } from "../node";
import { PRINTED_FILES } from "../printed-code";

const ROOT = join(__dirname, "../../..");
const PACKAGES: Readonly<Record<string, string>> = {
  "@signalbox/client": join(ROOT, "dist/client/src"),
  "graphql-ws": dirname(require.resolve("graphql-ws")),
};
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">{"imports": {
  "@signalbox/client": "/packages/@signalbox/client/index.js",
  "graphql-ws/client": "/packages/graphql-ws/client.js"
}}</script>
<script type="module">
  import * as push from "/push";
  import { signalbox } from "/signalbox";
  Object.assign(window, { push, signalbox });
</script>`;

/** A web app with the modules of docs/FRONTEND.md that turn web push on and off. */
export interface PushSite {
  url: string;
  /** The token that its backend hands out; null if nobody is signed in. */
  token: string | null;
  close(): Promise<void>;
}

/** A printed module as a browser runs it, for a node. */
function compiled(file: string, { baseUrl }: TestNode): string {
  const code = PRINTED_FILES.get(file);
  if (code === undefined) throw new Error(`no document prints ${file}`);
  const own = code.replaceAll("http://127.0.0.1:4000", baseUrl);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(own, { compilerOptions }).outputText;
}

/** Serves the web app on the loopback address, where browsers allow service workers without TLS. */
export async function servePushSite(node: TestNode): Promise<PushSite> {
  async function read(path: string): Promise<[type: string, content: string]> {
    if (path === "/") return ["text/html", PAGE];
    if (path === "/session") return ["application/json", JSON.stringify({ token: site.token })];
    const script = "text/javascript";
    if (path === "/push" || path === "/signalbox") {
      return [script, compiled(`${path.slice(1)}.ts`, node)];
    }
    if (path === "/signalbox-sw.js") {
      return [script, await readFile(join(ROOT, "client/service-worker", path), "utf8")];
    }
    const [, name = "", file = ""] =
      /^\/packages\/(@signalbox\/client|graphql-ws)\/([\w/.-]+\.js)$/.exec(path) ?? [];
    const folder = PACKAGES[name];
    if (folder === undefined) throw new Error(`no file ${path}`);
    return [script, await readFile(join(folder, file), "utf8")];
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    read(pathname).then(
      ([type, content]) => {
        response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site: PushSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    token: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return site;
}
