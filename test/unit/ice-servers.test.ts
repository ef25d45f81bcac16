import { createHmac } from "node:crypto";
import { readConfig } from "../../src/core/config";
import type { UserViewer } from "../../src/core/viewer";
import { iceServers, turnCredentials, turnHost } from "../../src/domain/calls/ice/ice-servers";

const NOW = 1_600_000_000_999;
const SECRET = "a-secret-of-the-test-alone";
const viewer: UserViewer = { kind: "user", sessionId: 5, applicationId: 7, userId: 42 };

const ask = (environment: Record<string, string>, now = NOW) =>
  iceServers(readConfig(environment), viewer, now);

describe("credentials", () => {
  test("have the form of the draft: the expiry and the user, signed", () => {
    const [server] = ask({ TURN_SECRET: SECRET, TURN_TTL_SECONDS: "3600" });
    expect(server?.username).toBe("1600003600:42-7");
    const signature = createHmac("sha1", SECRET).update("1600003600:42-7").digest("base64");
    expect(server?.credential).toBe(signature);
    expect(server?.expiresAt).toEqual(new Date(1_600_003_600_000));
  });

  test("equal those of another implementation", () => {
    // printf %s 1600003600:42-7 | openssl dgst -sha1 -hmac north-of-everything -binary | base64
    expect(
      turnCredentials("north-of-everything", { userId: 42, applicationId: 7 }, 1_600_003_600),
    ).toEqual({ username: "1600003600:42-7", credential: "vOaEgeLxphns2RC2OJBCnJrZQWw=" });
  });

  test("expire twelve hours from now by default", () => {
    const [early] = ask({ TURN_SECRET: SECRET });
    const [late] = ask({ TURN_SECRET: SECRET }, NOW + 1_000);
    expect(early?.username).toBe("1600043200:42-7");
    expect(late?.username).toBe("1600043201:42-7");
    expect(late?.credential).not.toBe(early?.credential);
  });

  test("use the first of several secrets", () => {
    const both = ask({ TURN_SECRET: `${SECRET},the-secret-that-was-before` });
    expect(both).toEqual(ask({ TURN_SECRET: SECRET }));
    expect(both).not.toEqual(ask({ TURN_SECRET: "the-secret-that-was-before" }));
  });
});

describe("servers", () => {
  test("are empty without a configuration", () => {
    expect(ask({})).toEqual([]);
    expect(ask({ TURN_HOST: "turn.example" })).toEqual([]);
  });

  test("default to the host if there is a secret, UDP before TCP", () => {
    const urls = (environment: Record<string, string>) =>
      ask({ TURN_SECRET: SECRET, ...environment })[0]?.urls;
    expect(urls({ TURN_HOST: "turn.example" })).toEqual([
      "stun:turn.example:3478",
      "turn:turn.example:3478?transport=udp",
      "turn:turn.example:3478?transport=tcp",
    ]);
    expect(urls({ TURN_HOST: "2001:db8::7" })?.[0]).toBe("stun:[2001:db8::7]:3478");
    expect(urls({})?.[0]).toBe("stun:localhost:3478");
  });

  test("are the configured ones in their order", () => {
    const TURN_URLS = "turns:turn.example:443?transport=tcp, stun:stun.example";
    expect(ask({ TURN_URLS, TURN_SECRET: SECRET })).toMatchObject([
      { urls: ["turns:turn.example:443?transport=tcp", "stun:stun.example"] },
    ]);
  });

  test("are only STUN, without credentials, if there is no secret", () => {
    const TURN_URLS = "turn:turn.example,stun:stun.example,stuns:stun.example:5349";
    expect(ask({ TURN_URLS })).toEqual([
      {
        urls: ["stun:stun.example", "stuns:stun.example:5349"],
        username: null,
        credential: null,
        expiresAt: null,
      },
    ]);
    expect(ask({ TURN_URLS: "turn:turn.example" })).toEqual([]);
  });
});

test.each([
  [{}, "localhost"],
  [{ TURN_URLS: "stun:stun.example:3478,turn:turn.example" }, "stun.example"],
  [{ TURN_URLS: "turn:turn.example?transport=udp" }, "turn.example"],
  [{ TURN_URLS: "turn:[2001:db8::7]:3478" }, "2001:db8::7"],
  [{ TURN_URLS: "turn:turn.example", TURN_HOST: "own.example" }, "own.example"],
])("the host of %j is %s", (environment, host) => {
  expect(turnHost(readConfig(environment))).toBe(host);
});
