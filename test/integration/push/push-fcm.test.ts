import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FcmPush } from "../../../src/push/payload/push-payload";
import type { Provider } from "../../../src/push/providers/port/provider";
import { closeAfterEach } from "../../support/close-after-each";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { type FcmFixture, startFcmFixture } from "../../support/push/fcm-fixture";
import { newApnsKey, newServiceKey } from "../../support/stand-ins/stored-keys";

/** Behaviour specific to FCM. */

let fixture: FcmFixture;
const keep = closeAfterEach<Provider>();

beforeAll(async () => {
  fixture = await startFcmFixture();
});
afterEach(() => {
  fixture.standIn.received.clear();
  fixture.standIn.tokens.count = 0;
});
afterAll(async () => {
  await fixture?.close();
});

const last = () => fixture.standIn.received.items.at(-1)!;
const sendMany = (provider: Provider, count: number) =>
  Promise.all(Array.from({ length: count }, () => provider.send(fixture.push, fixture.device())));

describe("a request", () => {
  test("has exactly these headers, and the message with its token", async () => {
    const device = fixture.device();
    const outcome = await keep(fixture.open()).send(fixture.push, device);
    const { headers, text } = last();
    const { authorization, ...rest } = headers;
    expect(Object.entries(rest)).toEqual([
      [":method", "POST"],
      [":path", "/v1/projects/example-project/messages:send"],
      [":authority", new URL(fixture.standIn.url).host],
      [":scheme", "https"],
      ["content-type", "application/json"],
    ]);
    expect(authorization).toMatch(/^Bearer ya29\.[\w-]{80}$/);
    expect(text).toBe(
      `{"message":{"token":"${device.token}","data":{"message":"Grüße","room":"12"},` +
        '"notification":{"title":"Hello"},"android":{"priority":"high","ttl":"3600s"}}}',
    );
    expect(outcome).toEqual({
      kind: "accepted",
      providerId: expect.stringMatching(/^projects\/example-project\/messages\/0:\d+%\d+$/),
    });
  });

  test("with an empty message is valid JSON", async () => {
    await keep(fixture.open()).send({ channel: "gcm", message: {} }, fixture.device());
    expect(Object.keys(JSON.parse(last().text).message)).toEqual(["token"]);
  });

  test("goes to the delivery's device, even if its message names another recipient", async () => {
    const device = fixture.device();
    const message = { token: "another-device", topic: "all", condition: "'all' in topics" };
    const push: FcmPush = { channel: "gcm", message: { ...message, data: { a: "b" } } };
    expect(await keep(fixture.open()).send(push, device)).toMatchObject({ kind: "accepted" });
    expect(last().message).toEqual({ token: device.token, data: { a: "b" } });
  });

  test.each([
    [{ data: { room: 12 } }, "INVALID_ARGUMENT: Invalid value at 'message.data': data"],
    [{ data: { from: "x" } }, "INVALID_ARGUMENT: Invalid data payload key: from"],
    [{ data: { text: "x".repeat(4100) } }, "INVALID_ARGUMENT: Android message is too big"],
    [{ sound: "x" }, 'INVALID_ARGUMENT: Invalid JSON payload received. Unknown name "sound"'],
  ])("with a message against Firebase's rules is refused, and the device is kept", async (message, reason) => {
    const push = { channel: "gcm", message } as unknown as FcmPush;
    const outcome = await keep(fixture.open()).send(push, fixture.device());
    expect(outcome).toEqual({ kind: "failed", reason });
  });

  test.each(["", "x".repeat(5000)])("is not sent for a token of invalid length", async (token) => {
    const outcome = await keep(fixture.open()).send(fixture.push, { ...fixture.device(), token });
    expect(outcome.kind).toBe("unregistered");
    expect(fixture.standIn.received.count).toBe(0);
  });

  test("with a malformed token has the outcome unregistered", async () => {
    const evil = { ...fixture.device(), token: 'x","topic":"all' };
    const outcome = await keep(fixture.open()).send(fixture.push, evil);
    expect(outcome.kind).toBe("unregistered");
    expect(last().device).toBe(evil.token);
  });
});

describe("the access token", () => {
  test("is requested once for concurrent pushes, and again a minute before it expires", async () => {
    const clock = new MovingClock();
    const provider = keep(fixture.open({ clock }));
    await sendMany(provider, 50);
    clock.advance(58 * MINUTE);
    await sendMany(provider, 50);
    expect(fixture.standIn.tokens.count).toBe(1);
    clock.advance(MINUTE);
    // Scripted, because the stand-in refuses an assertion from a clock an hour ahead.
    fixture.standIn.tokens.replies.push(fixture.standIn.tokens.grant());
    const outcomes = await sendMany(provider, 50);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    expect(new Set(fixture.standIn.received.items.map((r) => r.headers.authorization)).size).toBe(
      2,
    );
    expect(fixture.standIn.tokens.replies).toEqual([]);
  });

  test("is renewed once when refused: those pushes are retried later, the next one succeeds", async () => {
    const provider = keep(fixture.open());
    await sendMany(provider, 1);
    fixture.standIn.tokens.revoke();
    const outcomes = await sendMany(provider, 30);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["retry"]));
    const next = await sendMany(provider, 30);
    expect(new Set(next.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    expect(fixture.standIn.tokens.count).toBe(2);
  });

  test.each([
    [
      503,
      { "retry-after": "9" },
      "",
      { kind: "retry", reason: "access token: status 503", delayMs: 9000 },
    ],
    [
      500,
      {},
      '{"error":"internal"}',
      { kind: "retry", reason: "access token: internal", delayMs: null },
    ],
    [200, {}, "{}", { kind: "retry", reason: "access token: status 200", delayMs: null }],
    [
      400,
      {},
      '{"error":"invalid_grant","error_description":"Token has been revoked"}',
      { kind: "failed", reason: "access token: invalid_grant: Token has been revoked" },
    ],
    [
      302,
      { location: "https://elsewhere.example/" },
      "",
      { kind: "failed", reason: "access token: status 302" },
    ],
  ])("request with status %i has an outcome, and is repeated", async (status, headers, body, outcome) => {
    const provider = keep(fixture.open());
    fixture.standIn.tokens.replies.push({
      status,
      headers: headers as Record<string, string>,
      body,
    });
    expect(await provider.send(fixture.push, fixture.device())).toEqual(outcome);
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "accepted" });
  });

  test("may be requested without TLS if private networks are allowed", async () => {
    const { body } = fixture.standIn.tokens.grant();
    const server = createServer((_request, response) => response.end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const plain = { ...fixture.credentials, tokenUrl: `http://127.0.0.1:${port}/token` };
    const outcome = await keep(fixture.openWith(plain)).send(fixture.push, fixture.device());
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(outcome).toMatchObject({ kind: "accepted" });
  });

  test("without a reachable token endpoint has the outcome retry", async () => {
    const nowhere = { ...fixture.credentials, tokenUrl: "https://127.0.0.1:9/token" };
    const provider = keep(fixture.openWith(nowhere));
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "retry",
      reason: "no connection (ECONNREFUSED)",
      delayMs: null,
    });
    expect(await provider.check()).toBe("the service is unavailable: no connection (ECONNREFUSED)");
  });
});

describe("credentials", () => {
  test("are checked by a message that is only validated, without recipients", async () => {
    expect(await keep(fixture.open()).check()).toBeNull();
    expect(last()).toMatchObject({ validateOnly: true, device: "", status: 200 });
  });

  test.each([
    [
      "by another key",
      { privateKey: newServiceKey() },
      "access token: invalid_grant: Invalid JWT Signature.",
    ],
    [
      "of another account",
      { clientEmail: "nobody@example.com" },
      "access token: invalid_grant: Invalid grant: account not found",
    ],
    [
      "of another project",
      { projectId: "another" },
      "PERMISSION_DENIED: Permission 'cloudmessaging.messages.create' denied",
    ],
  ])("%s are refused with Google's reason", async (_, change, reason) => {
    const provider = keep(fixture.openWith({ ...fixture.credentials, ...change }));
    expect(await provider.check()).toBe(reason);
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "failed",
      reason,
    });
  });

  test.each([
    "no key",
    __filename,
    newApnsKey(),
  ])("with an unreadable key are refused without a request", async (privateKey) => {
    const provider = keep(fixture.openWith({ ...fixture.credentials, privateKey }));
    const reason = "the private key is not a readable RSA key";
    expect(await provider.check()).toBe(reason);
    expect(await provider.send(fixture.push, fixture.device())).toEqual({
      kind: "failed",
      reason,
    });
  });
});
