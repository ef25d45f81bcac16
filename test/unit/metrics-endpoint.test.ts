import fastify, { type FastifyInstance } from "fastify";
import { openLog } from "../../src/core/log";
import { type Metrics, openMetrics } from "../../src/core/metrics";
import { registerMetrics } from "../../src/transports/http/metrics-endpoint";
import { closeAfterEach } from "../support/close-after-each";

/** GET /metrics: who can read it, how often it is rendered, and what the start says of it. */

const TOKEN = "the token of Prometheus";
const opened = closeAfterEach();

function serve(token: string | null): {
  server: FastifyInstance;
  metrics: Metrics;
  logged: string[];
} {
  const logged: string[] = [];
  const log = openLog("silent");
  jest.spyOn(log, "info").mockImplementation((text) => void logged.push(String(text)));
  const metrics = openMetrics();
  const server = opened(fastify());
  registerMetrics(server, { log, metrics, token });
  return { server, metrics, logged };
}

const LOCAL = "127.0.0.1";
const REMOTE = "10.0.0.9";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test.each<[string, string | null, string, Record<string, string>, number]>([
  ["a program on this machine", null, LOCAL, {}, 200],
  ["a program on this machine, over IPv6", null, "::1", {}, 200],
  ["a program on this machine, mapped", null, "::ffff:127.0.0.1", {}, 200],
  ["a program on this machine, beside a token", TOKEN, LOCAL, {}, 200],
  ["another machine", null, REMOTE, {}, 404],
  ["another machine without the token", TOKEN, REMOTE, {}, 404],
  ["another machine with the token", TOKEN, REMOTE, bearer(TOKEN), 200],
  ["another machine with another token", TOKEN, REMOTE, bearer(`${TOKEN}.`), 404],
  ["another machine with an empty token", TOKEN, REMOTE, bearer(""), 404],
  ["another machine with a token, although none is set", null, REMOTE, bearer("undefined"), 404],
  ["a proxy on this machine", null, LOCAL, { "x-forwarded-for": "203.0.113.7" }, 404],
  ["a proxy on this machine, by RFC 7239", null, LOCAL, { forwarded: "for=203.0.113.7" }, 404],
  [
    "a proxy on this machine with the token",
    TOKEN,
    LOCAL,
    { ...bearer(TOKEN), "x-forwarded-for": REMOTE },
    200,
  ],
])("%s", async (_, token, remoteAddress, headers, status) => {
  const { server } = serve(token);
  const { statusCode, body } = await server.inject({ url: "/metrics", remoteAddress, headers });
  expect(statusCode).toBe(status);
  expect(body.includes("signalbox_build_info")).toBe(status === 200);
});

test("is rendered at most once a second for all callers", async () => {
  const { server, metrics } = serve(null);
  const render = jest.spyOn(metrics.registry, "metrics");
  const ask = () => server.inject({ url: "/metrics", remoteAddress: LOCAL });
  const answers = await Promise.all(Array.from({ length: 50 }, ask));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(render).toHaveBeenCalledTimes(1);
});

test("the start says who can read it", () => {
  expect(serve(null).logged).toEqual([expect.stringContaining("set METRICS_TOKEN")]);
  expect(serve(TOKEN).logged).toEqual([expect.stringContaining("requests with METRICS_TOKEN")]);
});
