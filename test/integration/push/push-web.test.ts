import { createECDH } from "node:crypto";
import { generateVAPIDKeys } from "web-push";
import type { Provider } from "../../../src/domain/push/providers/port/provider";
import { readSignedToken } from "../../../tools/stand-ins/signed-token";
import { startWebPush, type WebPushStandIn } from "../../../tools/stand-ins/web-push";
import { closeAfterEach } from "../../support/close-after-each";
import { HOUR, MovingClock } from "../../support/moving-clock";
import {
  startWebPushFixture,
  targetIn,
  type WebPushFixture,
} from "../../support/push/web-push-fixture";

/** Behaviour specific to web push. */

let fixture: WebPushFixture;
const keep = closeAfterEach<Provider>();

beforeAll(async () => {
  fixture = await startWebPushFixture();
});
afterEach(() => fixture.standIn.received.clear());
afterAll(async () => {
  await fixture?.close();
});

const last = () => fixture.standIn.received.items.at(-1)!;
const authorizations = () =>
  new Set(fixture.standIn.received.items.map(({ headers }) => headers.authorization));

describe("a request", () => {
  test("has exactly these headers, and a body that only the browser can decrypt", async () => {
    const device = { ...fixture.device(), deliveryId: 4711 };
    const outcome = await keep(fixture.open()).send(fixture.push, device);
    const { headers, text } = last();
    const { authorization, ...rest } = headers;
    expect(rest).toEqual({
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: "3600",
      topic: "hHBSHaBUBsg2J00FulpmWjZEyxPbdAht",
      host: new URL(fixture.standIn.url).host,
      connection: "keep-alive",
      "content-length": String(Buffer.byteLength(fixture.push.payload) + 86 + 17),
    });
    expect(text).toBe(fixture.push.payload);
    const [, jwt = "", key] = /^vapid t=(\S+), k=(\S+)$/.exec(authorization ?? "") ?? [];
    expect(key).toBe(fixture.credentials.publicKey);
    const claims = readSignedToken(jwt)?.claims;
    expect(claims).toEqual({
      aud: fixture.standIn.url,
      exp: expect.any(Number),
      sub: "mailto:push@example.com",
    });
    expect(Number(claims?.exp) - Date.now() / 1000).toBeGreaterThan(11 * 3600);
    expect(outcome).toEqual({
      kind: "accepted",
      providerId: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/message\/[\w-]{16}$/),
    });
  });

  test("carries the longest payload, and the service refuses one byte more", async () => {
    const provider = keep(fixture.open());
    const payload = "x".repeat(3993);
    const send = (text: string) =>
      provider.send({ ...fixture.push, payload: text }, fixture.device());
    expect(await send(payload)).toMatchObject({ kind: "accepted" });
    expect(last().text).toBe(payload);
    expect(await send(`${payload}x`)).toEqual({
      kind: "failed",
      reason: "status 413: payload too large",
    });
  });

  test("is encrypted separately for each push", async () => {
    const provider = keep(fixture.open());
    const device = fixture.device();
    await provider.send(fixture.push, device);
    await provider.send(fixture.push, device);
    const [one, two] = fixture.standIn.received.items;
    expect(one!.body.subarray(0, 16)).not.toEqual(two!.body.subarray(0, 16));
    expect(one!.text).toBe(two!.text);
  });

  test.each(["200", "201", "202", "204"])("with the response %s is accepted", async (status) => {
    const device = fixture.device();
    fixture.script(device, { kind: "raw", status: Number(status), body: "" });
    const outcome = await keep(fixture.open()).send(fixture.push, device);
    expect(outcome).toEqual({ kind: "accepted", providerId: null });
  });

  test("has the same Topic for repeated attempts, and another one for other deliveries", async () => {
    const [one, other] = [fixture.device(), fixture.device()];
    fixture.script(one, { kind: "answer", status: 503 }, { kind: "ok" });
    await keep(fixture.open()).send(fixture.push, one);
    const provider = keep(fixture.open());
    await provider.send(fixture.push, one);
    await provider.send(fixture.push, other);
    const [first, again, another] = fixture.standIn.received.items.map((r) => r.headers.topic);
    expect(again).toBe(first);
    expect(another).not.toBe(first);
    expect(another).toMatch(/^[\w-]{32}$/);
    const topic = "59df572692db589ab69fdaa56f8a2c4c";
    await provider.send({ ...fixture.push, topic }, other);
    expect(fixture.standIn.received.items.at(-1)?.headers.topic).toBe(topic);
  });
});

describe("the token", () => {
  test("is signed once per service, and renewed after six hours", async () => {
    const clock = new MovingClock();
    const provider = keep(fixture.open({ clock }));
    const send = () => provider.send(fixture.push, fixture.device());
    for (let count = 0; count < 5; count++) await send();
    clock.advance(5 * HOUR);
    await send();
    expect(authorizations().size).toBe(1);
    clock.advance(HOUR);
    expect(await send()).toMatchObject({ kind: "accepted" });
    expect(authorizations().size).toBe(2);
    clock.advance(-HOUR);
    await send();
    expect(authorizations().size).toBe(3);
  });

  test("for one service is not sent to another", async () => {
    const other = await startWebPush(fixture.serverOptions, fixture.credentials.publicKey);
    try {
      const provider = keep(fixture.open());
      expect(await provider.send(fixture.push, fixture.device())).toMatchObject({
        kind: "accepted",
      });
      const there = targetIn(other.subscribe());
      expect(await provider.send(fixture.push, there)).toMatchObject({ kind: "accepted" });
      expect(other.received.items[0]?.headers.authorization).not.toBe(last().headers.authorization);
    } finally {
      await other.close();
    }
  });
});

describe("a subscription", () => {
  const point = (bytes: Buffer) => bytes.toString("base64url");
  const compressed = () => {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    return pair.getPublicKey("base64url", "compressed");
  };
  test.each([
    ["without keys", { webAuth: null, webP256dh: null }],
    ["with a short secret", { webAuth: point(Buffer.alloc(15)) }],
    ["with a key of another length", { webP256dh: point(Buffer.alloc(64, 4)) }],
    ["with a key that is no point", { webP256dh: point(Buffer.alloc(65, 4)) }],
    ["with a compressed key", { webP256dh: compressed() }],
  ])("%s is refused, and nothing is sent", async (_, keys) => {
    const outcome = await keep(fixture.open()).send(fixture.push, { ...fixture.device(), ...keys });
    expect(outcome).toEqual({
      kind: "failed",
      reason: "the subscription's keys are invalid",
    });
    expect(fixture.standIn.received.count).toBe(0);
  });
});

describe("hosts that devices name", () => {
  const silent: WebPushStandIn[] = [];

  afterEach(async () => {
    for (const server of silent.splice(0)) await server.close();
  });

  test("stay reachable if another host never responds", async () => {
    const provider = keep(fixture.open({ timeoutMs: 5_000 }));
    let ended = 0;
    // Twice the limit per host.
    const stuck = Array.from({ length: 128 }, () => {
      const device = fixture.device();
      fixture.script(device, { kind: "silent" });
      return provider.send(fixture.push, device).finally(() => {
        ended += 1;
      });
    });
    const other = await startWebPush(fixture.serverOptions, fixture.credentials.publicKey);
    silent.push(other);
    const outcome = await provider.send(fixture.push, targetIn(other.subscribe()));
    expect(outcome).toMatchObject({ kind: "accepted" });
    // It did not wait for the stuck requests.
    expect(ended).toBe(0);
    expect(fixture.standIn.received.count).toBeLessThanOrEqual(64);
    for (const each of await Promise.all(stuck)) expect(each.kind).toBe("retry");
  });
});

describe("credentials", () => {
  test("are valid if the two keys match", async () => {
    expect(await keep(fixture.open()).check()).toBeNull();
  });

  const another = generateVAPIDKeys();
  test.each([
    [{ publicKey: another.publicKey }, "the public key does not match the private key"],
    [{ privateKey: "-----BEGIN PRIVATE KEY-----" }, "the private key is not 32 bytes in base64url"],
    [{ privateKey: "" }, "the private key is not 32 bytes in base64url"],
    [{ privateKey: Buffer.alloc(32).toString("base64url") }, "the private key is not a P-256 key"],
    [
      { publicKey: `${another.publicKey}=` },
      "the public key is not an uncompressed point on P-256 in base64url",
    ],
    [
      { publicKey: Buffer.alloc(65, 2).toString("base64url") },
      "the public key is not an uncompressed point on P-256 in base64url",
    ],
    [{ subject: "push@example.com" }, "the subject is not a mailto: or https: URL"],
    [{ subject: "http://example.com" }, "the subject is not a mailto: or https: URL"],
    [{ subject: "mailto:" }, "the subject is not a mailto: or https: URL"],
    [{ ca: "no certificate" }, "the certificate of the authority cannot be read"],
  ])("with %j are refused without a request: %s", async (change, reason) => {
    const provider = keep(fixture.openWith({ ...fixture.credentials, ...change }));
    expect(await provider.check()).toBe(reason);
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "failed",
      reason,
    });
    expect(fixture.standIn.received.count).toBe(0);
  });

  test.each([
    "mailto:push@localhost",
    "https://127.0.0.1/push",
  ])("that were stored with the contact %s, which Apple refuses, fail the check and are sent elsewhere", async (subject) => {
    const provider = keep(fixture.openWith({ ...fixture.credentials, subject }));
    expect(await provider.check()).toMatch(/^the contact must name a public domain/);
    // The stand-in is as strict as Apple.
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("403"),
    });
  });

  test("may have a URL as the contact", async () => {
    const provider = keep(
      fixture.openWith({ ...fixture.credentials, subject: "https://example.com" }),
    );
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "accepted" });
  });
});
