import type { Outcome, Provider } from "../../../src/domain/push/providers/port/provider";
import type { ProviderOptions } from "../../../src/domain/push/providers/port/provider-options";
import type { Behaviour } from "../../../tools/stand-ins/behaviour";
import { closeAfterEach } from "../../support/close-after-each";
import { MovingClock } from "../../support/moving-clock";
import { startApnsFixture } from "../../support/push/apns-fixture";
import { startFcmFixture } from "../../support/push/fcm-fixture";
import type { ProviderFixture } from "../../support/push/provider-fixture";
import { startWebPushFixture } from "../../support/push/web-push-fixture";

/** Contract of all providers, each tested against its stand-in. */

interface Service {
  name: string;
  start(): Promise<ProviderFixture>;
  /** Expected outcomes of scripted responses. */
  outcomes: Array<[behaviour: Behaviour & { kind: "answer" }, Outcome]>;
  /** Whether concurrent pushes share a connection. */
  multiplexes: boolean;
}

const answer = (status: number, headers?: Record<string, string>, reason?: string) =>
  ({ kind: "answer", status, headers, reason }) as const;
const unregistered = (reason: string): Outcome => ({ kind: "unregistered", reason });
const failed = (reason: string): Outcome => ({ kind: "failed", reason });
const retry = (reason: string, delayMs: number | null = null): Outcome => ({
  kind: "retry",
  reason,
  delayMs,
});

/** Timeout of pushes in bulk, in milliseconds: they have all to go out, however slow the machine is. */
const PATIENT_MS = 120_000;

const SERVICES: Service[] = [
  {
    name: "APNs",
    start: startApnsFixture,
    multiplexes: true,
    outcomes: [
      [answer(410), unregistered("Unregistered")],
      [answer(410, {}, "ExpiredToken"), unregistered("ExpiredToken")],
      [answer(400), unregistered("BadDeviceToken")],
      [answer(400, {}, "DeviceTokenNotForTopic"), failed("DeviceTokenNotForTopic")],
      [answer(400, {}, "IdleTimeout"), retry("IdleTimeout")],
      [answer(403), failed("InvalidProviderToken")],
      [answer(403, {}, "ExpiredProviderToken"), retry("ExpiredProviderToken")],
      [answer(413), failed("PayloadTooLarge")],
      [answer(429), retry("TooManyRequests")],
      [answer(429, { "retry-after": "7" }), retry("TooManyRequests", 7000)],
      [answer(500), retry("InternalServerError")],
      [answer(503, { "retry-after": "120" }), retry("ServiceUnavailable", 120_000)],
      [answer(503, {}, "Shutdown"), retry("Shutdown")],
    ],
  },
  {
    name: "FCM",
    start: startFcmFixture,
    multiplexes: true,
    outcomes: [
      [answer(404), unregistered("UNREGISTERED: Scripted error.")],
      [
        answer(400),
        unregistered(
          "INVALID_ARGUMENT: The registration token is not a valid FCM registration token",
        ),
      ],
      [answer(400, {}, "INVALID_ARGUMENT"), failed(expect.stringMatching(/^INVALID_ARG/) as never)],
      [answer(403), failed("SENDER_ID_MISMATCH: Scripted error.")],
      [answer(401), retry("UNAUTHENTICATED: Scripted error.")],
      [
        answer(401, {}, "THIRD_PARTY_AUTH_ERROR"),
        failed("THIRD_PARTY_AUTH_ERROR: Scripted error."),
      ],
      [answer(429), retry("QUOTA_EXCEEDED: Scripted error.", 60_000)],
      [answer(429, { "retry-after": "7" }), retry("QUOTA_EXCEEDED: Scripted error.", 7000)],
      [answer(500), retry("INTERNAL: Scripted error.")],
      [answer(503, { "retry-after": "120" }), retry("UNAVAILABLE: Scripted error.", 120_000)],
    ],
  },
  {
    name: "Web Push",
    start: startWebPushFixture,
    multiplexes: false,
    outcomes: [
      [answer(410), unregistered("status 410: push subscription has unsubscribed or expired.")],
      [answer(404), unregistered("status 404: no such subscription")],
      [answer(400), failed("status 400: invalid request")],
      [answer(401), failed("status 401: authorization missing")],
      [answer(403), failed("status 403: the key is not the one that subscribed")],
      [answer(413), failed("status 413: payload too large")],
      [answer(429), retry("status 429: too many requests")],
      [answer(429, { "retry-after": "7" }), retry("status 429: too many requests", 7000)],
      [answer(500), retry("status 500: internal error")],
      [answer(503, { "retry-after": "120" }), retry("status 503: busy", 120_000)],
      [
        answer(301, { location: "https://elsewhere.example/" }),
        failed("status 301: a redirect, which is not followed"),
      ],
      [
        answer(307, { location: "http://127.0.0.1/" }),
        failed("status 307: a redirect, which is not followed"),
      ],
    ],
  },
];

describe.each(SERVICES)("$name", ({ start, outcomes, multiplexes }) => {
  let fixture: ProviderFixture;
  const keep = closeAfterEach<Provider>();
  const open = (options?: Partial<ProviderOptions>) => keep(fixture.open(options));

  beforeAll(async () => {
    fixture = await start();
  });
  afterAll(async () => {
    await fixture?.close();
  });

  test("accepts a push, and returns its id", async () => {
    const device = fixture.device();
    const outcome = await open().send(fixture.push, device);
    expect(outcome).toEqual({ kind: "accepted", providerId: expect.stringMatching(/.{8,}/) });
    expect(fixture.receivedDevices()).toContain(device.token);
  });

  test.each(outcomes)("%j becomes %j", async (behaviour, outcome) => {
    const device = fixture.device();
    fixture.script(device, behaviour);
    expect(await open().send(fixture.push, device)).toEqual(outcome);
    // Sent once: retries are up to the job.
    expect(fixture.receivedDevices().filter((token) => token === device.token)).toHaveLength(1);
  });

  test("accepts Retry-After as a date, up to a day, and ignores invalid values", async () => {
    const clock = new MovingClock();
    clock.hold(true);
    const provider = open({ clock });
    const delayOf = async (text: string) => {
      const device = fixture.device();
      fixture.script(device, answer(503, { "retry-after": text }));
      const outcome = await provider.send(fixture.push, device);
      return outcome.kind === "retry" ? outcome.delayMs : outcome;
    };
    const seconds = Math.floor(clock.now() / 1000) * 1000;
    const inAMinute = new Date(seconds + 60_000).toUTCString();
    expect(await delayOf(inAMinute)).toBe(seconds + 60_000 - clock.now());
    expect(await delayOf("Thu, 01 Jan 1970 00:00:00 GMT")).toBe(0);
    expect(await delayOf("99999999999999")).toBe(86_400_000);
    expect(await delayOf("soon")).toBeNull();
  });

  test.each([
    ["no JSON", 503, "<html>busy</html>", retry("status 503")],
    ["nothing", 503, "", retry("status 503")],
    ["JSON of another form", 503, "[1]", retry("status 503")],
    ["no JSON", 400, "<html>what?</html>", failed("status 400")],
  ])("a response with %s and status %i gets its outcome from the status", async (_, status, body, outcome) => {
    const device = fixture.device();
    fixture.script(device, { kind: "raw", status, body });
    const got = await open().send(fixture.push, device);
    expect(got).toEqual({ ...outcome, reason: expect.stringContaining(`${status}`) });
  });

  test("limits the size of responses", async () => {
    const device = fixture.device();
    fixture.script(device, { kind: "raw", status: 503, body: "x".repeat(4_000_000) });
    const outcome = await open().send(fixture.push, device);
    expect(outcome.kind).toBe("retry");
    expect(JSON.stringify(outcome).length).toBeLessThan(400);
  });

  test("a lost connection has the outcome retry, and the next push opens another", async () => {
    const provider = open();
    await provider.send(fixture.push, fixture.device());
    const device = fixture.device();
    fixture.script(device, { kind: "drop" }, { kind: "ok" });
    const before = fixture.connections();
    expect(await provider.send(fixture.push, device)).toEqual(
      retry(expect.stringMatching(/^(connection closed|no connection \(ECONNRESET\))$/) as never),
    );
    expect(await provider.send(fixture.push, device)).toMatchObject({ kind: "accepted" });
    expect(fixture.connections()).toBe(before + 1);
  });

  test("an unreachable service has the outcome retry", async () => {
    const outcome = await keep(fixture.openUnreachable()).send(fixture.push, fixture.device());
    expect(outcome).toEqual(retry("no connection (ECONNREFUSED)"));
  });

  test("a server with a certificate of an unknown authority receives nothing", async () => {
    const device = fixture.device();
    const outcome = await keep(fixture.openUntrusted()).send(fixture.push, device);
    const reason = expect.stringMatching(/^no connection \((SELF_SIGNED|UNABLE_TO)_[A-Z_]+\)$/);
    expect(outcome).toEqual(retry(reason as never));
    expect(fixture.receivedDevices()).not.toContain(device.token);
  });

  test("forged credentials are refused, with a reason that does not reveal the keys", async () => {
    const outcome = await keep(fixture.openForged()).send(fixture.push, fixture.device());
    expect(outcome.kind).toBe("failed");
    for (const secret of fixture.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
  });

  test("values that a service echoes do not appear in a reason", async () => {
    const provider = open();
    const device = fixture.device();
    const echo = `no ${device.token} with Bearer eyJhbGciOiJFUzI1NiJ9.${"a".repeat(90)} at https://a.example/b\n\u0000\u001b[31m`;
    const body = JSON.stringify({ reason: echo, error: { status: "DENIED", message: echo } });
    for (const status of [400, 503]) {
      fixture.script(device, { kind: "raw", status, body });
      const outcome = await provider.send(fixture.push, device);
      const reason = "reason" in outcome ? outcome.reason : "";
      expect(reason).toContain("no … with Bearer … at …");
      expect(reason).toMatch(/^[\x20-\x7e…]{1,200}$/);
    }
  });

  test("a push of another channel is refused", async () => {
    const push = { channel: fixture.push.channel === "gcm" ? "apns" : "gcm", message: {} } as never;
    const outcome = await open().send(push, fixture.device());
    expect(outcome).toEqual(failed(expect.stringMatching(/ not support the channel /) as never));
  });

  test("reuses its connection for a hundred consecutive pushes", async () => {
    const provider = open();
    const before = fixture.connections();
    for (let count = 0; count < 100; count++) {
      expect(await provider.send(fixture.push, fixture.device())).toMatchObject({
        kind: "accepted",
      });
    }
    expect(fixture.connections()).toBe(before + 1);
  });

  test("many concurrent pushes all arrive, each once", async () => {
    const provider = open({ inFlightMax: 50, timeoutMs: PATIENT_MS });
    const before = fixture.connections();
    const devices = Array.from({ length: 1200 }, () => fixture.device());
    const sent = await Promise.all(devices.map((device) => provider.send(fixture.push, device)));
    expect(new Set(sent.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    const mine = new Set(devices.map(({ token }) => token));
    const got = fixture.receivedDevices().filter((token) => mine.has(token));
    expect(got.sort()).toEqual([...mine].sort());
    if (multiplexes) expect(fixture.connections()).toBe(before + 1);
    else expect(fixture.connections() - before).toBeLessThanOrEqual(50);
  });

  test("neither loses nor repeats pushes when the service closes connections", async () => {
    const provider = open({ timeoutMs: PATIENT_MS });
    const before = fixture.connections();
    const devices = Array.from({ length: 600 }, () => fixture.device());
    for (const at of [100, 400]) fixture.script(devices[at]!, { kind: "goaway" }, { kind: "ok" });
    const sent = await Promise.all(devices.map((device) => provider.send(fixture.push, device)));
    expect(sent.filter(({ kind }) => kind !== "accepted")).toEqual([]);
    const mine = new Set(devices.map(({ token }) => token));
    const got = fixture.receivedDevices().filter((token) => mine.has(token));
    expect(got.sort()).toEqual([...mine].sort());
    expect(fixture.connections()).toBeGreaterThan(before + 1);
  });

  test("closing waits for in-flight pushes, and later pushes have the outcome retry", async () => {
    const provider = open();
    const device = fixture.device();
    fixture.script(device, { kind: "slow", ms: 200 });
    const sent = provider.send(fixture.push, device);
    while (!fixture.receivedDevices().includes(device.token))
      await new Promise((r) => setTimeout(r, 10));
    await provider.close();
    expect(await sent).toMatchObject({ kind: "accepted" });
    expect(await provider.send(fixture.push, fixture.device())).toMatchObject({ kind: "retry" });
  });

  test("an unused provider can be closed", async () => {
    await fixture.open().close();
  });
});

describe("all services at once, because these tests wait", () => {
  const fixtures = new Map<string, ProviderFixture>();
  const keep = closeAfterEach<Provider>();

  beforeAll(async () => {
    for (const { name, start } of SERVICES) fixtures.set(name, await start());
  });
  afterAll(async () => {
    for (const fixture of fixtures.values()) await fixture.close();
  });

  /** Opens a provider and its connection, since the timeout of a push includes connecting. */
  async function openConnected(fixture: ProviderFixture, options: Partial<ProviderOptions>) {
    const provider = keep(fixture.open(options));
    await provider.send(fixture.push, fixture.device());
    return provider;
  }

  /** The result of a check for each service, by name. */
  async function onEach<Result>(check: (fixture: ProviderFixture) => Promise<Result>) {
    const entries = [...fixtures].map(
      async ([name, fixture]) => [name, await check(fixture)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  test("a slow response ends in a timeout", async () => {
    const results = await onEach(async (fixture) => {
      const provider = await openConnected(fixture, { timeoutMs: 3_000 });
      const [silent, slow] = [fixture.device(), fixture.device()];
      fixture.script(silent, { kind: "silent" });
      fixture.script(slow, { kind: "slow", ms: 60 });
      return Promise.all([silent, slow].map((device) => provider.send(fixture.push, device)));
    });
    for (const [name, outcomes] of Object.entries(results)) {
      expect([name, outcomes]).toEqual([
        name,
        [retry("no answer within 3 s"), expect.objectContaining({ kind: "accepted" })],
      ]);
    }
  });

  test("limits in-flight pushes; the timeout of waiting ones starts with their turn", async () => {
    const results = await onEach(async (fixture) => {
      const provider = await openConnected(fixture, { inFlightMax: 2, timeoutMs: 6_000 });
      const devices = Array.from({ length: 6 }, () => fixture.device());
      for (const device of devices) fixture.script(device, { kind: "slow", ms: 2_500 });
      let inFlightMax = 0;
      let now = 0;
      const before = fixture.receivedDevices().length;
      const sent = await Promise.all(
        devices.map(async (device) => {
          const outcome = await provider.send(fixture.push, device);
          now++;
          inFlightMax = Math.max(inFlightMax, fixture.receivedDevices().length - before - now);
          return outcome;
        }),
      );
      return { refused: sent.filter(({ kind }) => kind !== "accepted"), inFlightMax };
    });
    // Three rounds of 2.5 s exceed the timeout of a push.
    for (const [name, { refused, inFlightMax }] of Object.entries(results)) {
      expect([name, refused, inFlightMax <= 2]).toEqual([name, [], true]);
    }
  });

  test("an unresponsive service delays a batch by a small multiple of a push's timeout", async () => {
    const results = await onEach(async (fixture) => {
      const provider = await openConnected(fixture, { inFlightMax: 2, timeoutMs: 1_000 });
      const devices = Array.from({ length: 40 }, () => fixture.device());
      for (const device of devices) fixture.script(device, { kind: "silent" });
      const before = fixture.receivedDevices().length;
      const outcomes = await Promise.all(
        devices.map((device) => provider.send(fixture.push, device)),
      );
      const count = (reason: string) =>
        outcomes.filter((outcome) => outcome.kind === "retry" && outcome.reason === reason).length;
      return {
        asked: count("no answer within 1 s"),
        waited: count("too many requests in flight"),
        received: fixture.receivedDevices().length - before,
      };
    });
    for (const [name, { asked, waited, received }] of Object.entries(results)) {
      // Forty pushes need twenty rounds; they wait for a turn for only three, plus the one in flight.
      expect([name, asked >= 2 && asked <= 10, waited]).toEqual([name, true, 40 - asked]);
      expect([name, received <= 10]).toEqual([name, true]);
    }
  });
});
