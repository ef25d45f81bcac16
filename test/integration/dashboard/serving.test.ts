import { type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type FakeBuild, fakeBuild } from "../../support/dashboard/fake-build";
import { startNode, type TestNode } from "../../support/node";

/** How the gateway serves the dashboard: headers, caching, compression, and nothing but the built files. */

let build: FakeBuild;
let node: TestNode;
let off: TestNode;
let unbuilt: TestNode;
beforeAll(async () => {
  build = await fakeBuild();
  node = await startNode({}, { dashboardFolder: build.folder });
  off = await startNode({ DASHBOARD: "off" }, { dashboardFolder: build.folder });
  unbuilt = await startNode({}, { dashboardFolder: `${build.folder}/missing` });
});
afterAll(async () => {
  await Promise.all([node.stop(), off.stop(), unbuilt.stop()]);
  build.remove();
});

/** Sends a path as it is, which fetch would normalize, and decodes nothing. */
async function get(
  path: string,
  headers: Record<string, string> = {},
  { from = node, method = "GET" } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer; text: string }> {
  const { hostname, port } = new URL(from.baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers }, (response) => {
      buffer(response).then((body) => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body, text: body.toString("utf8") });
      }, reject);
    })
      .once("error", reject)
      .end();
  });
}

const SCRIPT = "/dashboard/assets/index-a1.js";

describe("the page", () => {
  it.each([
    "/dashboard",
    "/dashboard/",
    "/dashboard/index.html",
    "/dashboard/applications/1/settings?tab=keys",
    "/dashboard/applications/a.b",
  ])("is served at %s, with a strict policy and without caching", async (path) => {
    const { status, headers, text } = await get(path, { Accept: "text/html" });
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain(`src="${SCRIPT}"`);
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "cross-origin-resource-policy": "same-origin",
    });
    // A page from the cache would have another nonce than the policy.
    expect([headers.etag, headers["last-modified"]]).toEqual([undefined, undefined]);
    const policy = headers["content-security-policy"] ?? "";
    const [, nonce] = /<meta property="csp-nonce" nonce="([\w-]{43})">/.exec(text) ?? [];
    expect(String(policy).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  it("has another nonce in each response", async () => {
    const [one, other] = [await get("/dashboard"), await get("/dashboard")];
    expect(one.headers["content-security-policy"]).not.toBe(
      other.headers["content-security-policy"],
    );
    expect(one.text).not.toBe(other.text);
  });

  it("cannot be read by pages of other origins", async () => {
    for (const path of ["/dashboard", SCRIPT]) {
      const { headers } = await get(path, { Origin: "https://evil.example" });
      const shared = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      expect(shared).toEqual([]);
    }
  });

  it("answers HEAD with the headers alone", async () => {
    for (const path of ["/dashboard", SCRIPT]) {
      const [got, head] = [await get(path), await get(path, {}, { method: "HEAD" })];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers["content-length"]).toBe(String(got.body.length));
      expect(head.headers["content-type"]).toBe(got.headers["content-type"]);
    }
  });

  it("is for GET and HEAD alone", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await get("/dashboard", {}, { method })).status).toBe(404);
    }
  });
});

describe("a built file", () => {
  it.each([
    ["br", "br", (body: Buffer) => brotliDecompressSync(body)],
    ["gzip", "gzip", (body: Buffer) => gunzipSync(body)],
    ["gzip, deflate, br, zstd", "br", (body: Buffer) => brotliDecompressSync(body)],
    ["br;q=0, gzip;q=0.5", "gzip", (body: Buffer) => gunzipSync(body)],
    ["*", "br", (body: Buffer) => brotliDecompressSync(body)],
    ["identity", undefined, (body: Buffer) => body],
    ["br;q=0", undefined, (body: Buffer) => body],
    ["*;q=0", undefined, (body: Buffer) => body],
    ["", undefined, (body: Buffer) => body],
    [";;,br;q=x,=", undefined, (body: Buffer) => body],
  ] as const)("for Accept-Encoding %j has the form %j", async (accepted, coding, decode) => {
    const { status, headers, body } = await get(SCRIPT, { "Accept-Encoding": accepted });
    expect([status, headers["content-encoding"]]).toEqual([200, coding]);
    expect(headers.vary).toBe("Accept-Encoding");
    expect(decode(body).toString("utf8")).toBe(build.script);
  });

  it("is kept for a year, since its name contains its hash, and others for an hour", async () => {
    const [script, icon] = [await get(SCRIPT), await get("/dashboard/icon.svg")];
    expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(icon.headers["cache-control"]).toBe("public, max-age=3600");
    expect(icon.headers["content-type"]).toBe("image/svg+xml");
    expect(icon.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("has an ETag for each form, with which a repeated request gets no body", async () => {
    const tags = new Set<string>();
    for (const coding of ["br", "gzip", "identity"]) {
      const accepted = { "Accept-Encoding": coding };
      const { etag = "" } = (await get(SCRIPT, accepted)).headers;
      tags.add(etag);
      const again = await get(SCRIPT, { ...accepted, "If-None-Match": `"other", ${etag}` });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    }
    expect(tags.size).toBe(3);
    expect((await get(SCRIPT, { "If-None-Match": '"other"' })).status).toBe(200);
  });

  it("that does not exist is no page", async () => {
    for (const name of ["assets/index-a2.js", "assets/", "assets/index-a1.js.br"]) {
      expect((await get(`/dashboard/${name}`)).status).toBe(404);
    }
  });
});

describe("nothing else of the disk", () => {
  it.each([
    "/dashboard/../package.json",
    "/dashboard/..%2f..%2fpackage.json",
    "/dashboard/%2e%2e/%2e%2e/package.json",
    "/dashboard/assets/../../../../package.json",
    "/dashboard/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/dashboard/..\\..\\package.json",
    "/dashboard//etc/passwd",
    "/dashboard/%00",
    "/dashboard/built.json",
    "/dashboard/__proto__",
    "/dashboard/constructor",
  ])("is served at %s", async (path) => {
    const { status, text } = await get(path);
    expect(text).not.toMatch(/"dependencies"|root:|^\{\}$/);
    // Either no path of the dashboard, or its page.
    if (status === 200) expect(text).toContain(`src="${SCRIPT}"`);
    else expect([400, 404]).toContain(status);
  });

  it("a path that is not percent-encoded is MALFORMED", async () => {
    expect((await get("/dashboard/%zz")).status).toBe(400);
  });
});

describe("without it", () => {
  it("DASHBOARD=off leaves unknown paths", async () => {
    const unknown = await get("/nothing", {}, { from: off });
    for (const path of ["/dashboard", "/dashboard/", SCRIPT, "/dashboard/icon.svg"]) {
      const { status, text } = await get(path, {}, { from: off });
      expect([status, text]).toEqual([404, unknown.text]);
    }
    expect(off.app.dashboardUrl).toBeNull();
  });

  it("a build that is missing is named", async () => {
    for (const path of ["/dashboard", SCRIPT]) {
      const { status, text } = await get(path, {}, { from: unbuilt });
      expect(status).toBe(404);
      expect(text).toContain("The dashboard is not built: run npm run build, then restart");
    }
    expect(unbuilt.app.dashboardUrl).toBeNull();
    expect(node.app.dashboardUrl).toBe(`${node.baseUrl}/dashboard`);
  });
});
