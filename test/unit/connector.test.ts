import {
  createServer as createHttp,
  get as getPlain,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { get as getSecure } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { Connector, type ConnectorOptions } from "../../src/platform/network/connector";
import { NoResponse } from "../../src/platform/network/http-response";
import { type NameServer, startNameServer } from "../support/operations/name-server";

/** Outbound connections to addresses from owners and clients, over every interface of the connector. */

const GET = { method: "GET", headers: {}, timeoutMs: 10_000, bodyMax: 100 } as const;

let names: NameServer;
/** Local addresses of accepted connections. The server never responds. */
const connections: string[] = [];
let inside: Server;
let port: number;
const connectors: Connector[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  names = await startNameServer();
  inside = createServer((socket) => {
    connections.push(socket.localAddress ?? "");
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => inside.listen(0, "0.0.0.0", resolve));
  port = (inside.address() as AddressInfo).port;
});
afterEach(() => {
  connections.length = 0;
  names.queriedNames.length = 0;
  for (const connector of connectors.splice(0)) connector.close();
  for (const socket of sockets) socket.destroy();
});
afterAll(async () => {
  await names.close();
  await new Promise((resolve) => inside.close(resolve));
});

function open(options: ConnectorOptions = {}): Connector {
  const connector = new Connector({ resolve: names.resolve, ...options });
  connectors.push(connector);
  return connector;
}

/** Every kind of connection; each resolves to the reason why there is no response. */
const KINDS: Record<string, (connector: Connector, origin: string) => Promise<string>> = {
  "a request": (connector, origin) =>
    connector.request(origin, GET).then(
      ({ status }) => `status ${status}`,
      (error: NoResponse) => error.reason,
    ),
  "an HTTP/2 session": (connector, origin) =>
    new Promise((resolve) => {
      try {
        const { session } = connector.openHttp2(origin, createSecureContext());
        session.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        session.on("close", () => resolve("closed"));
      } catch (error) {
        resolve((error as NoResponse).reason);
      }
    }),
  "a request of a package through an agent": (connector, origin) =>
    new Promise((resolve) => {
      const agents = connector.agents();
      const request = origin.startsWith("https:")
        ? getSecure(origin, { agent: agents["https:"] })
        : getPlain(origin, { agent: agents["http:"] });
      request.on("response", ({ statusCode }) => resolve(`status ${statusCode}`));
      request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    }),
};

const REASONS = /private network|ERR_PRIVATE_NETWORK/;

describe.each(Object.entries(KINDS))("%s", (_kind, connect) => {
  // Spellings of IP addresses in URLs, which are never sent to a name server.
  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "2130706433",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[::127.0.0.1]",
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.168.0.1",
    "172.16.0.1",
    "224.0.0.1",
    "[fd00:ec2::254]",
    "[fe80::1]",
  ])("to https://%s is rejected without a connection", async (host) => {
    expect(await connect(open(), `https://${host}:${port}/`)).toMatch(REASONS);
    expect(connections).toEqual([]);
    expect(names.queriedNames).toEqual([]);
  });

  test.each([
    ["a private address", { a: ["127.0.0.1"] }],
    ["a private address behind a public one", { a: ["192.0.43.8", "127.0.0.1"] }],
    ["a public address, and a private one of IPv6", { a: ["192.0.43.8"], aaaa: ["::1"] }],
    ["a mapped address of IPv6 alone", { aaaa: ["::ffff:7f00:1"] }],
    ["a translated address of IPv6 alone", { aaaa: ["64:ff9b::7f00:1"] }],
  ])("to a name that has %s is rejected", async (_what, records) => {
    names.setRecords("inside.example", records);
    expect(await connect(open(), `https://inside.example:${port}/`)).toMatch(REASONS);
    expect(connections).toEqual([]);
  });

  test("to a name that becomes private between two connections is rejected (DNS rebinding)", async () => {
    // 127.0.0.2 stands in for a public address, which tests do not have.
    const connector = open({ isPrivate: (address) => address !== "127.0.0.2" });
    names.setRecords("moving.example", { a: ["127.0.0.2"] }, { a: ["127.0.0.1"] });
    const origin = `https://moving.example:${port}/`;
    const first = connect(connector, origin);
    while (connections.length === 0) await new Promise(setImmediate);
    for (const socket of sockets) socket.destroy();
    expect(await first).not.toMatch(REASONS);
    expect(await connect(connector, origin)).toMatch(REASONS);
    // One look-up per connection: the address that was checked is the one connected to.
    expect(names.queriedNames).toEqual(["moving.example", "moving.example"]);
    expect(connections).toEqual(["127.0.0.2"]);
  });
});

describe("a request", () => {
  let server: HttpServer;
  let origin: string;
  const asked: string[] = [];
  const answers: Record<string, (reply: ServerResponse) => void> = {
    "/long": (reply) => reply.end("x".repeat(1_000_000)),
    "/exact": (reply) => reply.end("x".repeat(99)),
    "/silent": () => {},
    "/stalled": (reply) => reply.writeHead(200, { "content-length": 10 }).write("x"),
    "/cut": (reply) => {
      reply.writeHead(200, { "content-length": 10 }).write("x");
      setImmediate(() => reply.destroy());
    },
  };
  for (const status of [301, 302, 303, 307, 308]) {
    answers[`/${status}`] = (reply) => reply.writeHead(status, { location: "/secret" }).end();
  }

  beforeAll(async () => {
    server = createHttp((request, reply) => {
      asked.push(request.url ?? "");
      answers[request.url ?? ""]?.(reply);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    asked.length = 0;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const allowed = () => open({ allowPrivate: true, resolve: undefined });
  const reasonOf = (path: string, timeoutMs = 10_000) =>
    allowed()
      .request(`${origin}${path}`, { ...GET, timeoutMs })
      .then(
        () => null,
        (error: NoResponse) => error.reason,
      );

  test.each([
    301, 302, 303, 307, 308,
  ])("does not follow a redirect with status %i", async (status) => {
    const answer = await allowed().request(`${origin}/${status}`, GET);
    expect([answer.status, asked]).toEqual([status, [`/${status}`]]);
  });

  test("reads no more of the body than its maximum", async () => {
    expect((await allowed().request(`${origin}/long`, GET)).body).toBe("x".repeat(100));
    expect((await allowed().request(`${origin}/exact`, GET)).body).toBe("x".repeat(99));
  });

  test.each(["/silent", "/stalled"])("to %s ends with its timeout", async (path) => {
    expect(await reasonOf(path, 50)).toBe("no answer within 0.05 s");
  });

  test("on a closed connection fails without revealing the address", async () => {
    expect(await reasonOf("/cut")).toBe("connection closed");
    await expect(allowed().request("http://127.0.0.1:1/", GET)).rejects.toThrow(
      "no connection (ECONNREFUSED)",
    );
  });

  test.each([
    ["http://public.example/", "the address must be a URL that begins with https://"],
    ["ftp://public.example/", "the address must be a URL that begins with https://"],
    ["nowhere", "the address must be a URL that begins with https://"],
    ["https://a:b@public.example/", "the address must be a URL without a user name"],
    ["https://localhost/", "the address must not lead into a private network"],
    ["https://app.localhost./", "the address must not lead into a private network"],
  ])("to %s is rejected: %s", async (url, reason) => {
    await expect(open().request(url, GET)).rejects.toEqual(new NoResponse(reason, "refused"));
    expect(names.queriedNames).toEqual([]);
  });

  test("reaches a private network if allowed, over http: too", async () => {
    names.setRecords("inside.example", { a: ["127.0.0.1"] });
    const byName = origin.replace("127.0.0.1", "inside.example");
    const connector = open({ allowPrivate: true });
    expect((await connector.request(`${byName}/302`, GET)).status).toBe(302);
  });
});
