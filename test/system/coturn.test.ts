import { randomFillSync } from "node:crypto";
import { connect, type SecureVersion } from "node:tls";
import { readConfig } from "../../src/core/config";
import { turnCredentials } from "../../src/domain/calls/ice/ice-servers";
import { checkTurn } from "../../src/domain/health/checks/turn";
import { graphql } from "../../tools/graphql/graphql-http";
import { allocate, type Coturn, read, startCoturn } from "../support/calls/coturn";
import { startNode, type TestNode } from "../support/node";
import { newUser, type TestUser } from "../support/rest-client";

/** The credentials of iceServers, against a real coturn with the configuration of deploy/. */

const SECRET = "secret-of-the-test-number-two";
const OLD_SECRET = "secret-of-the-test-number-one";

interface Servers {
  urls: string[];
  username: string;
  credential: string;
}

async function askIceServers(node: TestNode, user: TestUser): Promise<Servers> {
  const query = "{ iceServers { urls username credential } }";
  const { data, errors } = await graphql(node, query, {}, user.token);
  expect(errors).toBeUndefined();
  expect(data.iceServers).toHaveLength(1);
  return data.iceServers[0];
}

/** The type of a success response to a Binding request (RFC 8489 section 5). */
const BINDING_SUCCESS = 0x0101;

/** Sends a Binding request over one version of TLS; resolves with the type of the response. */
function bindOverTls(port: number, version: SecureVersion): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = Buffer.alloc(20);
    request.writeUInt16BE(0x0001, 0);
    request.writeUInt32BE(0x2112a442, 4);
    randomFillSync(request, 8);
    const socket = connect({
      port,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      // Old versions must be refused by the server, not by the client.
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    socket.once("secureConnect", () => socket.write(request));
    socket.once("data", (response) => {
      socket.destroy();
      resolve(response.readUInt16BE(0));
    });
    socket.once("error", reject);
    // coturn does not reply in an unsupported version.
    setTimeout(() => {
      socket.destroy();
      reject(new Error("no answer"));
    }, 2_000).unref();
  });
}

test("the service refuses the example's secret", async () => {
  const [, example] = /^static-auth-secret=(.+)$/m.exec(await read()) ?? [];
  expect(() => readConfig({ TURN_SECRET: example })).toThrow("TURN_SECRET must");
});

let coturn: Coturn;
let node: TestNode;
let user: TestUser;
// Relays remain for some minutes after their client has left, and count against the user's quota.
beforeEach(async () => {
  user = await newUser(node);
});
beforeAll(async () => {
  coturn = await startCoturn([SECRET, OLD_SECRET]);
  node = await startNode({
    TURN_URLS: `turn:127.0.0.1:${coturn.port}`,
    TURN_SECRET: `${SECRET},${OLD_SECRET}`,
  });
});
afterAll(async () => {
  await node?.stop();
  await coturn?.stop();
});

test.each([
  ["UDP", () => coturn.port, []],
  ["TCP", () => coturn.port, ["-t"]],
  ["DTLS", () => coturn.tlsPort, ["-S"]],
])("credentials of iceServers open a relay over %s", async (_, port, words) => {
  const allocation = await allocate(port(), await askIceServers(node, user), ...words);
  expect(allocation).toEqual({ ok: true, output: expect.stringContaining("lost packets 0 ") });
});

test("TLS requires version 1.2 or later", async () => {
  expect(await bindOverTls(coturn.tlsPort, "TLSv1.2")).toBe(BINDING_SUCCESS);
  await expect(bindOverTls(coturn.tlsPort, "TLSv1.1")).rejects.toThrow();
});

test("credentials of the previous secret still open one", async () => {
  const now = Math.floor(Date.now() / 1000);
  const viewer = { userId: user.id, applicationId: node.application.id };
  expect((await allocate(coturn.port, turnCredentials(OLD_SECRET, viewer, now + 60))).ok).toBe(
    true,
  );
});

test.each<[string, (good: Servers) => Pick<Servers, "username" | "credential">]>([
  [
    "expired",
    () => {
      const viewer = { userId: user.id, applicationId: node.application.id };
      return turnCredentials(SECRET, viewer, Math.floor(Date.now() / 1000) - 5);
    },
  ],
  [
    "made with another secret",
    () => {
      const viewer = { userId: user.id, applicationId: node.application.id };
      return turnCredentials("a-secret-of-somebody-else", viewer, 4_000_000_000);
    },
  ],
  [
    "extended by their owner",
    ({ username, credential }) => ({
      username: username.replace(/^\d+/, (expiry) => String(Number(expiry) + 1)),
      credential,
    }),
  ],
  [
    "transferred to another user",
    ({ username, credential }) => ({ username: username.replace(/:\d+/, ":999"), credential }),
  ],
  ["without their password", ({ username }) => ({ username, credential: "none" })],
])("credentials that are %s open none", async (_, change) => {
  const good = await askIceServers(node, user);
  const allocation = await allocate(coturn.port, change(good));
  expect(allocation).toEqual({
    ok: false,
    output: expect.stringContaining("Cannot complete Allocation"),
  });
});

test.each([
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.31.255.255",
  "192.168.1.1",
  "224.0.0.1",
])("the relay does not forward to %s", async (address) => {
  const good = await askIceServers(node, user);
  const allocation = await allocate(coturn.port, good, "-e", address);
  expect(allocation).toEqual({ ok: false, output: expect.stringContaining("error 403") });
});

test("the relay forwards to a public address", async () => {
  const good = await askIceServers(node, user);
  const { output } = await allocate(coturn.port, good, "-e", "8.8.8.8");
  expect(output).toContain("tot_send_msgs=1");
});

test("a user has 16 concurrent relays, regardless of when the credentials were created", async () => {
  const viewer = { userId: user.id, applicationId: node.application.id };
  const now = Math.floor(Date.now() / 1000);
  const outputs: string[] = [];
  // Each client leaves at least one relay behind: it is refused only after the allocation.
  for (let run = 0; run <= 16; run += 1) {
    const credentials = turnCredentials(SECRET, viewer, now + 600 + run);
    outputs.push((await allocate(coturn.port, credentials, "-e", "10.1.2.3")).output);
  }
  expect(outputs[0]).toContain("error 403");
  expect(outputs.at(-1)).toContain("error 486 (Allocation Quota Reached)");
  const other = await newUser(node);
  expect((await allocate(coturn.port, await askIceServers(node, other))).ok).toBe(true);
});

describe("the check of doctor and health", () => {
  const check = (environment: Record<string, string>) => checkTurn(readConfig(environment));
  const address = () => `127.0.0.1:${coturn.port}`;

  test.each([
    "",
    "?transport=udp",
    "?transport=tcp",
  ])("accepts the secret by turn:%s", async (by) => {
    const url = `turn:${address()}${by}`;
    expect(await check({ TURN_URLS: url, TURN_SECRET: SECRET })).toEqual([
      { check: "turn", status: "ok", detail: `${url} accepts credentials of TURN_SECRET` },
    ]);
  });

  test("says that the secrets differ", async () => {
    const url = `turn:${address()}`;
    expect(
      await check({ TURN_URLS: url, TURN_SECRET: "another-secret-of-the-test" }),
    ).toMatchObject([
      {
        status: "error",
        detail: `${url} refuses credentials of TURN_SECRET`,
        fix: expect.stringMatching(/same secret/),
      },
    ]);
  });

  test("asks STUN servers for an address alone, and allocates no relay", async () => {
    const stun = `stun:${address()}`;
    expect(await check({ TURN_URLS: stun })).toEqual([
      { check: "turn", status: "ok", detail: `${stun} answers` },
    ]);
    // Far more than a user may have (user-quota of the configuration).
    for (let turn = 0; turn < 3; turn += 1) {
      const urls = Array.from({ length: 10 }, () => `turn:${address()}`).join(",");
      const found = await check({ TURN_URLS: urls, TURN_SECRET: SECRET });
      expect(found.map(({ status }) => status)).toEqual(Array(10).fill("ok"));
    }
  });

  test("refuses a certificate that no client trusts", async () => {
    const url = `turns:127.0.0.1:${coturn.tlsPort}`;
    const [found] = await check({ TURN_URLS: url, TURN_SECRET: SECRET });
    expect([found?.status, found?.detail]).toEqual(["error", expect.stringMatching(/certificate/)]);
  });
});
