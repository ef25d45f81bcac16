import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { openLog } from "../../src/core/log";
import { UntrustedProxy } from "../../src/transports/http/untrusted-proxy";

/** A proxy that TRUST_PROXY does not name is noticed by the requests that come through it. */

/** Sends requests with some headers from addresses of loopback. @returns what was noticed, and the warnings */
async function noticed(
  trusted: string[],
  requests: Array<[from: string, headers: Record<string, string>]>,
) {
  const log = openLog("silent");
  const warn = jest.spyOn(log, "warn").mockImplementation(() => undefined);
  const proxy = new UntrustedProxy(trusted, log);
  const server = createServer((_, response) => response.end());
  proxy.watch(server);
  server.on("upgrade", (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  for (const [localAddress, headers] of requests) {
    await new Promise<void>((resolve) => {
      const sent = request({ host: "127.0.0.1", port, localAddress, headers, agent: false });
      sent.on("response", (response) => response.resume());
      sent
        .on("error", () => undefined)
        .on("close", resolve)
        .end();
    });
  }
  server.close();
  return { address: proxy.address, warnings: warn.mock.calls.map(([fields]) => fields) };
}

const FORWARDED = { "X-Forwarded-For": "203.0.113.7" };

test.each<[string, Record<string, string>]>([
  ["X-Forwarded-For", FORWARDED],
  ["Forwarded", { Forwarded: "for=203.0.113.7" }],
  ["a WebSocket upgrade", { ...FORWARDED, Connection: "Upgrade", Upgrade: "websocket" }],
])("by %s, once", async (_, headers) => {
  const { address, warnings } = await noticed(
    [],
    [
      ["127.0.0.2", {}],
      ["127.0.0.1", headers],
      ["127.0.0.3", headers],
    ],
  );
  expect(address).toBe("127.0.0.1");
  expect(warnings).toEqual([{ peer: "127.0.0.1" }]);
});

test("not if TRUST_PROXY names it, or without such a header", async () => {
  const trusted = await noticed(["127.0.0.0/8"], [["127.0.0.1", FORWARDED]]);
  expect(trusted).toEqual({ address: null, warnings: [] });
  expect(await noticed([], [["127.0.0.1", {}]])).toEqual({ address: null, warnings: [] });
});

test("a private address replaces a public one, whose client may have written the header itself", () => {
  const log = openLog("silent");
  const warn = jest.spyOn(log, "warn").mockImplementation(() => undefined);
  const proxy = new UntrustedProxy([], log);
  const server = createServer();
  proxy.watch(server);
  for (const remoteAddress of ["9.9.9.9", "1.1.1.1", "::ffff:10.0.0.4", "10.0.0.5"]) {
    server.emit("request", {
      headers: { "x-forwarded-for": "203.0.113.7" },
      socket: { remoteAddress },
    });
  }
  expect(proxy.address).toBe("10.0.0.4");
  expect(warn).toHaveBeenCalledTimes(2);
});
