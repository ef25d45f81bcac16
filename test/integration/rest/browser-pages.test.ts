import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSchema } from "graphql";
import { packageVersion } from "../../../src/core/package-root";
import { type FakeBuild, fakeBuild } from "../../support/dashboard/fake-build";
import { startNode, type TestNode } from "../../support/node";
import { rest } from "../../support/rest-client";

/** The pages that browsers get: the landing page, the reference of the REST API, and the schema as text. */

const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let build: FakeBuild;
let node: TestNode;
let quiet: TestNode;
beforeAll(async () => {
  build = await fakeBuild();
  const parts = { dashboardFolder: build.folder };
  node = await startNode({}, parts);
  const off = { DASHBOARD: "false", GRAPHIQL: "false", API_DOCS: "false", INTROSPECTION: "false" };
  quiet = await startNode(off, parts);
});
afterAll(async () => {
  await Promise.all([node.stop(), quiet.stop()]);
  build.remove();
});

const get = (
  path: string,
  headers: Record<string, string> = BROWSER,
  from = node,
  method = "GET",
) => rest(from, method, path, { headers });
const textOf = (html: string) =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

describe("the landing page", () => {
  it("is HTML without scripts, with its styles allowed by hash, and is not cached", async () => {
    const { status, headers, text } = await get("/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const styles = [...text.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = ""]) => style);
    expect(styles).toHaveLength(2);
    for (const style of styles) {
      const hash = createHash("sha256").update(style).digest("base64");
      expect(policy).toContain(`'sha256-${hash}'`);
    }
    expect(text).not.toMatch(/<script|style=|\son\w+=/);
    expect(text).toContain(`Version&nbsp;${packageVersion()} runs here.`);
  });

  it("links only to what exists", async () => {
    for (const [from, expected] of [
      [
        node,
        [
          "/dashboard",
          "/docs",
          "/graphql",
          "/openapi.json",
          "/schema.graphql",
          "/healthz",
          "/readyz",
        ],
      ],
      [quiet, ["/openapi.json", "/healthz", "/readyz"]],
    ] as const) {
      const { text } = await get("/", BROWSER, from);
      const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link]) => link);
      expect(links).toEqual(expected);
      for (const link of expected) expect((await get(link, BROWSER, from)).status).toBe(200);
    }
  });

  it("names documents that the repository has", async () => {
    const { text } = await get("/");
    const names = [...text.matchAll(/<code>([\w./-]+\.md)<\/code>/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      expect(readFileSync(join(__dirname, "../../..", name), "utf8")).toMatch(/^# /);
    }
  });

  it("has commands that create a session, when the application's values are filled in", async () => {
    const { text } = await get("/");
    const shown = textOf(/<code id="signed">([^<]*)<\/code>/.exec(text)?.[1] ?? "");
    const { id, authKey, authSecret } = node.application;
    const commands = shown.replace(
      "APP=1 KEY=… SECRET=…",
      `APP=${id} KEY=${authKey} SECRET=${authSecret}`,
    );
    expect(commands).not.toContain("…");
    const { stdout } = await promisify(execFile)("bash", ["-c", commands]);
    const { token } = JSON.parse(stdout).session;
    expect((await rest(node, "GET", "/session", { token })).status).toBe(200);
  });

  it("shows the configured public URL", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const other = await startNode({ BASE_URL: "https://api.example.org", PORT: String(port) });
    try {
      const { text } = await rest({ baseUrl: `http://127.0.0.1:${port}` }, "GET", "/", {
        headers: BROWSER,
      });
      expect(text).toContain("curl https://api.example.org/session");
    } finally {
      await other.stop();
    }
  });

  it("answers HEAD with the headers alone", async () => {
    const { status, headers, text } = await get("/", BROWSER, node, "HEAD");
    expect([status, text]).toEqual([200, ""]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it.each([
    ["application/json"],
    ["*/*"],
    [""],
  ])("is an unknown path for clients that accept %j", async (accept) => {
    const headers = { Accept: accept };
    const [root, unknown] = [await get("/", headers), await get("/nothing/here", headers)];
    expect([root.status, root.text]).toEqual([404, '{"errors":{"base":["Not found"]}}']);
    const shown = (all: Headers) =>
      [...all].filter(([name]) => !["x-request-id", "date"].includes(name));
    expect(root.text).toBe(unknown.text);
    expect(shown(root.headers)).toEqual(shown(unknown.headers));
    expect((await get("/", headers, node, "HEAD")).status).toBe(404);
  });

  it("is for GET alone", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await get("/", BROWSER, node, method)).status).toBe(404);
    }
  });
});

describe("the reference of the REST API", () => {
  it("is a page that loads only files of this server", async () => {
    const { status, headers, text } = await get("/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("x-frame-options")).toBe("DENY");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|\*/);
    expect(text).not.toMatch(/https?:|<script>|<style>/);
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(
      ([, file = ""]) => file,
    );
    expect(files).toHaveLength(4);
    for (const file of files) {
      const answer = await get(file, {});
      expect([file, answer.status, answer.text.length > 150]).toEqual([file, 200, true]);
      const type = file.endsWith(".css") ? "text/css" : "text/javascript";
      expect(answer.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("caches the viewer's files, but not the page's own", async () => {
    const cacheOf = async (path: string) => (await get(path)).headers.get("cache-control");
    expect(await cacheOf("/docs/assets/swagger-ui.js")).toBe("public, max-age=86400");
    expect(await cacheOf("/docs/assets/page.js")).toBe("no-cache");
  });

  it("answers HEAD with the headers alone", async () => {
    const { status, text } = await get("/docs", BROWSER, node, "HEAD");
    expect([status, text]).toEqual([200, ""]);
  });

  it("is disabled by the configuration", async () => {
    for (const path of ["/docs", "/docs/assets/page.js", "/docs/assets/swagger-ui.js"]) {
      const { status, body } = await get(path, BROWSER, quiet);
      expect([path, status, body]).toEqual([path, 404, { errors: { base: ["Not found"] } }]);
    }
  });
});

describe("schema.graphql", () => {
  it("is the published schema as text, for browsers and generators", async () => {
    const { status, headers, text } = await get("/schema.graphql", {});
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(text).toBe(readFileSync(join(__dirname, "../../../schema/schema.graphql"), "utf8"));
    expect(buildSchema(text).getQueryType()?.name).toBe("Query");
    expect((await get("/schema.graphql", {}, node, "HEAD")).status).toBe(200);
  });

  it("is hidden with introspection", async () => {
    const { status, body } = await get("/schema.graphql", {}, quiet);
    expect([status, body]).toEqual([404, { errors: { base: ["Not found"] } }]);
  });
});

it("openapi.json is the published document", async () => {
  const { body } = await get("/openapi.json", {});
  const file = readFileSync(join(__dirname, "../../../schema/openapi.json"), "utf8");
  expect(body).toEqual(JSON.parse(file));
});
