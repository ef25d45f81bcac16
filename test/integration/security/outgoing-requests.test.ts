import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import pino from "pino";
import { startNode, type TestNode } from "../../support/node";
import { type NameServer, startNameServer } from "../../support/operations/name-server";
import { browserKeys } from "../../support/push/push-devices";
import { applicationToken, newUser, rest } from "../../support/rest-client";
import { phoneClaims, phoneToken, signingKey } from "../../support/sessions/phone-tokens";

/**
 * Server-side request forgery at a production-like node: URLs of sign-in providers from an application's
 * owner, and push endpoints from a browser, that point into the private network.
 */

const PROJECT = "phones";
const key = signingKey("key-1");
const logged: string[] = [];
// Warnings with the same message are for debug, except the first one in a while.
const log = pino({ level: "debug" }, { write: (line: string) => void logged.push(line) });
let names: NameServer;
let node: TestNode;
let privateServer: Server;
let port: number;
const connections: string[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  names = await startNameServer();
  privateServer = createServer((socket) => {
    connections.push(socket.localAddress ?? "");
    sockets.add(socket);
    socket.on("error", () => {});
    // A TLS client gives up after this.
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  await new Promise<void>((resolve) => privateServer.listen(0, "0.0.0.0", resolve));
  port = (privateServer.address() as AddressInfo).port;
  // 127.0.0.2 stands in for a public address, which tests do not have.
  const isPrivate = (address: string) => address !== "127.0.0.2";
  node = await startNode({}, { log, connector: { resolve: names.resolve, isPrivate } });
});
beforeEach(() => {
  connections.length = 0;
  logged.length = 0;
});
afterAll(async () => {
  await node.stop();
  await names.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => privateServer.close(resolve));
});

/** Sets the URL of every provider in the database. */
async function setProviderUrls(origin: string): Promise<void> {
  await node.sql("UPDATE applications SET settings = $1::text::jsonb", [
    JSON.stringify({
      facebook: { appId: "1", appSecret: "s", baseUrl: origin },
      twitter: { consumerKey: "k", consumerSecret: "s", baseUrl: origin },
      firebase: { projectId: PROJECT, keysUrl: `${origin}/keys` },
    }),
  ]);
}

const SIGN_INS = {
  facebook: () => ({ provider: "facebook", keys: { token: "token" } }),
  twitter: () => ({ provider: "twitter", keys: { token: "token", secret: "secret" } }),
  firebase: () => ({
    provider: "firebase_phone",
    firebase_phone: {
      project_id: PROJECT,
      access_token: phoneToken(key, phoneClaims(PROJECT, { sub: "s", phone: "+15550100" })),
    },
  }),
};

/** Signs in. @returns the status, and from the log why the provider was not contacted */
async function signIn(provider: keyof typeof SIGN_INS): Promise<[number, string | undefined]> {
  const body = SIGN_INS[provider]();
  const { status } = await rest(node, "POST", "/login", {
    token: await applicationToken(node),
    body,
  });
  const line = logged.find((each) => each.includes("a sign-in provider is unavailable"));
  return [status, line && JSON.parse(line).reason];
}

describe.each(
  Object.keys(SIGN_INS) as Array<keyof typeof SIGN_INS>,
)("sign-in by %s", (provider) => {
  test.each([
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "127.0.0.1.",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "localhost",
    "169.254.169.254",
    "10.0.0.1",
  ])("does not connect to %s", async (host) => {
    await setProviderUrls(`https://${host}:${port}`);
    expect(await signIn(provider)).toEqual([503, expect.stringMatching(/private network/)]);
    expect(connections).toEqual([]);
  });

  test.each([
    ["without TLS", () => `http://public.example:${port}`, /https:/],
    ["with a user name", () => `https://a:b@public.example:${port}`, /user name/],
  ])("does not connect %s", async (_what, origin, reason) => {
    await setProviderUrls(origin());
    expect(await signIn(provider)).toEqual([503, expect.stringMatching(reason)]);
    expect(connections).toEqual([]);
  });

  test("does not connect to a name with a private address, even beside a public one", async () => {
    for (const a of [["127.0.0.1"], ["127.0.0.2", "127.0.0.1"]]) {
      logged.length = 0;
      names.setRecords(`${provider}-inside.example`, { a });
      await setProviderUrls(`https://${provider}-inside.example:${port}`);
      expect(await signIn(provider)).toEqual([503, "the address leads into a private network"]);
    }
    expect(connections).toEqual([]);
  });

  test("does not connect to a name that has become private (DNS rebinding)", async () => {
    const name = `${provider}-moving.example`;
    names.setRecords(name, { a: ["127.0.0.2"] }, { a: ["127.0.0.1"] });
    await setProviderUrls(`https://${name}:${port}`);
    expect((await signIn(provider))[0]).toBe(503);
    expect(connections).toEqual(["127.0.0.2"]);
    logged.length = 0;
    // At another path, because a key set that could not be read is not asked for again at once.
    await setProviderUrls(`https://${name}:${port}/again`);
    expect(await signIn(provider)).toEqual([503, "the address leads into a private network"]);
    expect(connections).toEqual(["127.0.0.2"]);
  });
});

test("a browser's push endpoint in a private network is rejected at registration, in any spelling", async () => {
  const user = await newUser(node);
  for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "127.0.0.1.", "[::ffff:127.0.0.1]"]) {
    const body = {
      notification_channel: "web",
      push_token: {
        environment: "development",
        ...browserKeys(),
        web_endpoint: `https://${host}:${port}/1`,
      },
      device: { platform: "web", udid: host },
    };
    const answer = await rest(node, "POST", "/subscriptions", { token: user.token, body });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("private network")]);
  }
});
