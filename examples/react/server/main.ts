import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEndpoint, readSettings } from "./sessions.ts";

/** The backend of the built page: it serves the files, and creates sessions. Run `npm run build`, then `npm start`. */

const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
/** Where `npm run build` writes the page: beside the folder of this program. */
const PAGE = join(dirname(fileURLToPath(import.meta.url)), "../page");
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The files by their URL, so that a request reads no others. */
const files = new Map<string, { content: Buffer; type: string }>();
for (const entry of readdirSync(PAGE, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath, entry.name);
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  files.set(path.slice(PAGE.length).replaceAll("\\", "/"), { content: readFileSync(path), type });
}

const endpoint = openEndpoint(readSettings());

const server = createServer((request, response) => {
  const [path = "/"] = (request.url ?? "/").split("?");
  if (request.method === "POST" && path === "/session") return void endpoint(request, response);
  const file = files.get(path === "/" ? "/index.html" : path);
  if (!file) return void response.writeHead(404).end();
  // Vite names assets by their content, so that they never change.
  const isAsset = path.startsWith("/assets/");
  response.writeHead(200, {
    "Content-Type": file.type,
    "Cache-Control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(file.content);
});

server.listen(Number(PORT), HOST, () => {
  const { address, port } = server.address() as AddressInfo;
  console.log(`The page is at http://${address}:${port}`);
});
