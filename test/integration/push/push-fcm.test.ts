import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { FcmPush } from "../../../src/domain/push/payload/push-payload";
import type { Provider } from "../../../src/domain/push/providers/port/provider";
import { newApnsKey, newServiceKey } from "../../../tools/stand-ins/stored-keys";
import { closeAfterEach } from "../../support/close-after-each";
import { type FcmFixture, startFcmFixture } from "../../support/push/fcm-fixture";

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

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

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
  test("is requested once for concurrent pushes", async () => {
    const provider = keep(fixture.open());
    await sendMany(provider, 50);
    await sendMany(provider, 50);
    expect(fixture.standIn.tokens.count).toBe(1);
  });

  test("is requested again if it expires within five minutes", async () => {
    const { tokens } = fixture.standIn;
    const provider = keep(fixture.open());
    tokens.replies.push(tokens.grant(240), tokens.grant());
    for (let batch = 0; batch < 3; batch++) await sendMany(provider, 10);
    expect(tokens.replies).toEqual([]);
    const used = fixture.standIn.received.items.map(({ headers }) => headers.authorization);
    expect(new Set(used.slice(0, 10)).size).toBe(1);
    expect(new Set(used.slice(10)).size).toBe(1);
    expect(new Set(used).size).toBe(2);
    expect(tokens.count).toBe(2);
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

  test("may be requested without TLS and at another path if private networks are allowed", async () => {
    const { body } = fixture.standIn.tokens.grant();
    const paths: Array<string | undefined> = [];
    const server = await listen((request, response) => {
      paths.push(request.url);
      response.end(body);
    });
    const plain = { ...fixture.credentials, tokenUrl: `${server.url}/oauth/v2?tenant=1` };
    const outcome = await keep(fixture.openWith(plain)).send(fixture.push, fixture.device());
    await server.close();
    expect(outcome).toMatchObject({ kind: "accepted" });
    expect(paths).toEqual(["/oauth/v2?tenant=1"]);
  });

  test("from an endpoint that never answers has the outcome retry after the timeout", async () => {
    const server = await listen(() => {});
    const silent = { ...fixture.credentials, tokenUrl: server.url };
    const provider = keep(fixture.openWith(silent, { timeoutMs: 100 }));
    const outcome = await provider.send(fixture.push, fixture.device());
    await server.close();
    expect(outcome).toEqual({ kind: "retry", reason: "no answer within 0.1 s", delayMs: null });
  });

  test("is not requested after the provider was closed", async () => {
    const provider = fixture.open();
    await provider.close();
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "retry" });
    expect(fixture.standIn.tokens.count).toBe(0);
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
