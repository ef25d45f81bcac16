import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

const run = promisify(execFile);

/** The packages of this repository. */
const OWN = new Set(["signalbox", "@signalbox/client"]);

/** What npm sends to publish a version of a package, and what a registry answers to those who install it. */
interface Packument {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, object>;
  /** Tarballs by file name, in Base64; only when it is published. */
  _attachments: Record<string, { data: string }>;
}

/** A running registry. */
export interface Registry {
  /** Environment with which npm uses it, with a cache of its own. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

/** Starts a registry of npm for the packages of this repository. It redirects to the configured one for all others. */
export async function startRegistry(): Promise<Registry> {
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  const others = stdout.trim();
  const packuments = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", "http://registry");
    const [name = "", file] = decodeURIComponent(pathname.slice(1)).split("/-/");
    if (!OWN.has(name)) {
      response.writeHead(302, { location: new URL(pathname.slice(1), others).href }).end();
    } else if (request.method === "PUT") {
      const { _attachments, ...published } = (await json(request)) as Packument;
      for (const [key, { data }] of Object.entries(_attachments)) {
        const tarball = Buffer.from(data, "base64");
        tarballs.set(key, tarball);
        const versions = markShrinkwrap(published.versions, tarball);
        const before = packuments.get(name)?.versions;
        packuments.set(name, {
          ...published,
          versions: { ...before, ...versions },
          _attachments: {},
        });
      }
      response.writeHead(201).end("{}");
    } else {
      const content =
        file === undefined ? JSON.stringify(packuments.get(name)) : tarballs.get(file);
      if (content === undefined) response.writeHead(404).end("{}");
      else response.writeHead(200).end(content);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cache = await mkdtemp(join(tmpdir(), "signalbox-npm-cache-"));
  return {
    environment: {
      npm_config_registry: `http://${host}/`,
      [`npm_config_//${host}/:_authToken`]: "token",
      npm_config_cache: cache,
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(cache, { recursive: true, force: true });
    },
  };
}

/** As registries do: npm reads the shrinkwrap of a package only if its version says that it has one. */
function markShrinkwrap(versions: Record<string, object>, tarball: Buffer): Record<string, object> {
  const _hasShrinkwrap = gunzipSync(tarball).includes("package/npm-shrinkwrap.json\0");
  const marked = Object.entries(versions).map(([version, manifest]) => [
    version,
    { ...manifest, _hasShrinkwrap },
  ]);
  return Object.fromEntries(marked);
}
