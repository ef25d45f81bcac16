import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import type { ApnsPush } from "../../../src/domain/push/payload/push-payload";
import type { Provider } from "../../../src/domain/push/providers/port/provider";
import { fingerprintOf } from "../../../tools/stand-ins/apns-rules";
import { makeAppleCertificate, makeAuthority } from "../../../tools/stand-ins/certificates";
import { newApnsKey } from "../../../tools/stand-ins/stored-keys";
import { closeAfterEach } from "../../support/close-after-each";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { type ApnsFixture, startApnsFixture } from "../../support/push/apns-fixture";

/** Behaviour specific to APNs. */

let fixture: ApnsFixture;
const keep = closeAfterEach<Provider>();

beforeAll(async () => {
  fixture = await startApnsFixture();
});
afterEach(() => fixture.standIn.received.clear());
afterAll(async () => {
  await fixture?.close();
});

const last = () => fixture.standIn.received.items.at(-1)!;
const authorizations = () =>
  new Set(fixture.standIn.received.items.map((r) => r.headers.authorization));

describe("a request", () => {
  test("has exactly these headers, and the unchanged payload", async () => {
    const device = { ...fixture.device(), deliveryId: 4711 };
    await keep(fixture.open()).send(fixture.push, device);
    const { headers, payload } = last();
    expect(Object.entries(headers).filter(([name]) => name !== "authorization")).toEqual([
      [":method", "POST"],
      [":path", `/3/device/${device.token}`],
      [":authority", new URL(fixture.standIn.url).host],
      [":scheme", "https"],
      ["apns-priority", "10"],
      ["apns-expiration", "1900000000"],
      ["apns-topic", "com.example.app"],
      ["apns-push-type", "alert"],
      ["apns-id", "8470521d-a054-86c8-b627-4d05ba5a665a"],
      ["apns-collapse-id", "8470521d-a054-86c8-b627-4d05ba5a665a"],
    ]);
    expect(headers.authorization).toMatch(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    expect(payload).toBe(fixture.push.payload);
  });

  const sendAs = async (push: Partial<ApnsPush>, bundleId: string | null = null) => {
    const outcome = await keep(fixture.open()).send(
      { ...fixture.push, ...push },
      { ...fixture.device(), bundleId },
    );
    return { outcome, headers: last()?.headers };
  };

  test("has the bundle identifier of the device, if the device reported it", async () => {
    const { outcome, headers } = await sendAs({}, "com.example.other");
    expect([outcome.kind, headers?.["apns-topic"]]).toEqual(["accepted", "com.example.other"]);
  });

  test.each([
    [null, "com.example.app.voip"],
    ["com.example.other", "com.example.other.voip"],
    ["com.example.other.voip", "com.example.other.voip"],
  ])("of a VoIP push to %s has the topic %s", async (bundleId, topic) => {
    const { outcome, headers } = await sendAs({ channel: "apns_voip", pushType: "voip" }, bundleId);
    expect(outcome.kind).toBe("accepted");
    expect([headers?.["apns-topic"], headers?.["apns-push-type"]]).toEqual([topic, "voip"]);
  });

  test("of a background push has priority 5", async () => {
    const { outcome, headers } = await sendAs({ pushType: "background", priority: 5 });
    expect([outcome.kind, headers?.["apns-priority"]]).toEqual(["accepted", "5"]);
  });

  test("has an expiration only if the push has one, including 0", async () => {
    expect((await sendAs({ expiration: null })).headers).not.toHaveProperty("apns-expiration");
    expect((await sendAs({ expiration: 0 })).headers).toHaveProperty("apns-expiration", "0");
  });

  test("has its own collapse id only if it is displayed", async () => {
    const displayed = await sendAs({});
    const silent = await sendAs({ pushType: "background", priority: 5 });
    const voip = await sendAs({ channel: "apns_voip", pushType: "voip" });
    expect(displayed.headers).toHaveProperty("apns-collapse-id", displayed.headers?.["apns-id"]);
    expect(silent.headers).not.toHaveProperty("apns-collapse-id");
    const named = await sendAs({ collapseId: "call-1" });
    expect(named.headers).toHaveProperty("apns-collapse-id", "call-1");
    expect(voip.headers).not.toHaveProperty("apns-collapse-id");
  });

  test("with an invalid header value is refused, without affecting others", async () => {
    const provider = keep(fixture.open());
    const evil = { ...fixture.device(), bundleId: "com.example.app\r\nx: y" };
    expect(await provider.send(fixture.push, evil)).toEqual({
      kind: "failed",
      reason: "BadTopic",
    });
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "accepted" });
  });

  test.each([
    ["that is empty", ""],
    ["of other letters", "zz"],
    ["of half a byte", "abc"],
    ["that would lead elsewhere", "../../1/apps/x"],
    ["of 2,049 bytes", "a".repeat(4098)],
  ])("is not sent for a token %s", async (_, token) => {
    const outcome = await keep(fixture.open()).send(fixture.push, { ...fixture.device(), token });
    expect(outcome).toEqual({ kind: "unregistered", reason: "BadDeviceToken" });
    expect(fixture.standIn.received.count).toBe(0);
  });

  test.each([
    ["alert", 4096, "accepted"],
    ["alert", 4097, "failed"],
    ["voip", 5120, "accepted"],
    ["voip", 5121, "failed"],
  ] as const)("of type %s with %i bytes is %s", async (pushType, bytes, kind) => {
    const payload = JSON.stringify({ text: "x".repeat(bytes - 11) });
    const channel = pushType === "voip" ? "apns_voip" : "apns";
    const { outcome } = await sendAs({ pushType, channel, payload });
    expect([payload.length, outcome.kind]).toEqual([bytes, kind]);
    if (outcome.kind === "failed") expect(outcome.reason).toBe("PayloadTooLarge");
  });
});

test("repeated attempts of a delivery have the same apns-id, other deliveries different ones", async () => {
  const [one, other] = [fixture.device(), fixture.device()];
  fixture.script(one, { kind: "answer", status: 503 }, { kind: "ok" });
  // Also after a restart of the process.
  await keep(fixture.open()).send(fixture.push, one);
  const provider = keep(fixture.open());
  const accepted = await provider.send(fixture.push, one);
  await provider.send(fixture.push, other);
  const ids = fixture.standIn.received.items.map(({ headers }) => headers["apns-id"]);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
  expect(accepted).toEqual({ kind: "accepted", providerId: ids[0] });
});

describe("GOAWAY", () => {
  test("before a push sends it on the next connection immediately", async () => {
    const provider = keep(fixture.open());
    const device = fixture.device();
    fixture.script(device, { kind: "goaway-before" }, { kind: "ok" });
    expect(await provider.send(fixture.push, device)).toMatchObject({ kind: "accepted" });
    const { items } = fixture.standIn.received;
    expect(items.map(({ connection }) => connection)).toEqual([
      expect.any(Number),
      items[0]!.connection + 1,
    ]);
  });

  test("before every push ends in the outcome retry", async () => {
    const device = fixture.device();
    fixture.script(device, { kind: "goaway-before" });
    expect(await keep(fixture.open()).send(fixture.push, device)).toMatchObject({ kind: "retry" });
    expect(fixture.standIn.received.count).toBe(3);
  });
});

test("a dead connection is closed, and the next push opens another", async () => {
  const upstream = new URL(fixture.standIn.url);
  const pipes: Socket[] = [];
  const middle = createServer((socket) => {
    const onward = dial(Number(upstream.port), upstream.hostname);
    for (const each of [socket, onward]) each.on("error", () => {});
    pipes.push(socket, onward);
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => middle.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = middle.address() as AddressInfo;
    const token = { ...fixture.token, baseUrl: `https://127.0.0.1:${port}` };
    const provider = keep(fixture.openWith(token, { timeoutMs: 3_000 }));
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "accepted" });
    // Simulates a router that dropped the connection: no data arrives, not even FIN.
    for (const socket of pipes) socket.unpipe().pause();
    const outcome = await provider.send(fixture.push, fixture.device());
    expect(outcome).toEqual({ kind: "retry", reason: "no answer within 3 s", delayMs: null });
    await eventually(
      () => provider.send(fixture.push, fixture.device()),
      ({ kind }) => kind === "accepted",
    );
    expect(pipes).toHaveLength(4);
  } finally {
    for (const socket of pipes) socket.destroy();
    middle.close();
  }
});

describe("the token", () => {
  test("is shared by all pushes, and renewed after 50 minutes", async () => {
    const clock = new MovingClock();
    const provider = keep(fixture.open({ clock }));
    const send = () => provider.send(fixture.push, fixture.device());
    await Promise.all(Array.from({ length: 20 }, send));
    clock.advance(49 * MINUTE);
    await send();
    expect(authorizations().size).toBe(1);
    clock.advance(MINUTE);
    await Promise.all(Array.from({ length: 20 }, send));
    expect(authorizations().size).toBe(2);
  });

  test("is renewed once for many pushes if Apple considers it expired, but not while it is young", async () => {
    const clock = new MovingClock();
    const provider = keep(fixture.open({ clock }));
    const expired = { kind: "answer", status: 403, reason: "ExpiredProviderToken" } as const;
    const refuseMany = () =>
      Promise.all(
        Array.from({ length: 20 }, () => {
          const device = fixture.device();
          fixture.script(device, expired);
          return provider.send(fixture.push, device);
        }),
      );
    for (const outcome of await refuseMany()) expect(outcome.kind).toBe("retry");
    await provider.send(fixture.push, fixture.device());
    expect(authorizations().size).toBe(1);
    clock.advance(21 * MINUTE);
    await refuseMany();
    await provider.send(fixture.push, fixture.device());
    expect(authorizations().size).toBe(2);
  });

  test("is renewed after the clock is set back", async () => {
    const clock = new MovingClock();
    const provider = keep(fixture.open({ clock }));
    await provider.send(fixture.push, fixture.device());
    clock.advance(-MINUTE);
    await provider.send(fixture.push, fixture.device());
    expect(authorizations().size).toBe(2);
  });
});

describe("credentials", () => {
  test("may be a certificate: then no token is sent", async () => {
    const provider = keep(fixture.openWith(fixture.certificate));
    expect(await provider.check()).toBeNull();
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "accepted" });
    expect(last().headers).not.toHaveProperty("authorization");
  });

  test("are valid if Apple refuses only the unknown device", async () => {
    expect(await keep(fixture.open()).check()).toBeNull();
    expect(last()).toMatchObject({ device: "0".repeat(64), reason: "BadDeviceToken" });
  });

  test.each([
    ["of an unknown key", () => ({ ...fixture.token, key: newApnsKey() }), "InvalidProviderToken"],
    ["of another team", () => ({ ...fixture.token, teamId: "TEAM000002" }), "InvalidProviderToken"],
    [
      "of another key id",
      () => ({ ...fixture.token, keyId: "KEY0000002" }),
      "InvalidProviderToken",
    ],
    ["for another app", () => ({ ...fixture.token, bundleId: "org.other" }), "TopicDisallowed"],
    [
      "that somebody else certified",
      () => ({
        ...fixture.certificate,
        ...makeAppleCertificate(makeAuthority(), fixture.token.bundleId),
      }),
      "BadCertificate",
    ],
  ])("%s are refused with Apple's reason", async (_, credentials, reason) => {
    const provider = keep(fixture.openWith(credentials()));
    expect(await provider.check()).toBe(reason);
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "failed",
      reason,
    });
  });

  const rsa = () => makeAuthority().privateKey;
  test.each([
    ["a key that is none", () => ({ ...fixture.token, key: "no key" }), "the key cannot be read"],
    ["the name of a file", () => ({ ...fixture.token, key: __filename }), "the key cannot be read"],
    ["an RSA key", () => ({ ...fixture.token, key: rsa() }), "the key is not on the curve P-256"],
    [
      "a certificate with another's key",
      () => ({ ...fixture.certificate, privateKey: rsa() }),
      "the certificate and key do not match",
    ],
    [
      "a certificate that is none",
      () => ({ ...fixture.certificate, certificate: __filename }),
      "the certificate or its key cannot be read",
    ],
    [
      "a certificate of the other environment",
      () => ({
        ...fixture.certificate,
        ...makeAppleCertificate(fixture.authority, fixture.token.bundleId, ["development"]),
      }),
      "the certificate does not support configured environment, production: true",
    ],
    [
      "a certificate that is over",
      () => ({
        ...fixture.certificate,
        ...makeAppleCertificate(
          fixture.authority,
          fixture.token.bundleId,
          ["production"],
          new Date("2024-01-01T00:00:00Z"),
        ),
      }),
      "the certificate has expired: 2024-01-01T00:00:00.000Z",
    ],
  ])("with %s are refused without a request", async (_, credentials, reason) => {
    const provider = keep(fixture.openWith(credentials()));
    expect(await provider.check()).toBe(reason);
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "failed",
      reason,
    });
    expect(fixture.standIn.received.count).toBe(0);
  });

  test("are not at fault if the service is unavailable", async () => {
    expect(await keep(fixture.openUnreachable()).check()).toBe(
      "the service is unavailable: no connection (ECONNREFUSED)",
    );
  });
});

test("a certificate of the stand-in is identified by its fingerprint only", () => {
  const issued = makeAppleCertificate(fixture.authority, "com.example.app");
  expect(fixture.standIn.trust.certificates.has(fingerprintOf(issued))).toBe(false);
});
