import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Credentials } from "../../../src/domain/push/credentials/credentials";
import type { PushPayload } from "../../../src/domain/push/payload/push-payload";
import { openProvider } from "../../../src/domain/push/providers/open-provider";
import type {
  Outcome,
  Provider,
  PushTarget,
} from "../../../src/domain/push/providers/port/provider";
import type { ProviderOptions } from "../../../src/domain/push/providers/port/provider-options";
import { checkEndpoint } from "../../../src/domain/push/providers/web/endpoint";
import { Connector } from "../../../src/platform/network/connector";
import type { Resolve } from "../../../src/platform/network/lookup";
import { closeAfterEach } from "../../support/close-after-each";
import { type ApnsFixture, startApnsFixture } from "../../support/push/apns-fixture";
import { type FcmFixture, startFcmFixture } from "../../support/push/fcm-fixture";
import { startWebPushFixture, type WebPushFixture } from "../../support/push/web-push-fixture";

/** Server-side request forgery: addresses named by devices and applications (docs/SECURITY.md). */

let apns: ApnsFixture;
let fcm: FcmFixture;
let web: WebPushFixture;
const keep = closeAfterEach<Provider>();

beforeAll(async () => {
  [apns, fcm, web] = await Promise.all([
    startApnsFixture(),
    startFcmFixture(),
    startWebPushFixture(),
  ]);
});
afterAll(async () => {
  for (const fixture of [apns, fcm, web]) await fixture?.close();
});

const NETWORK = "the address leads into a private network";
const leads = (what: string) => `${what} must not lead into a private network`;
const inside: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
const mixed: Resolve = async () => [
  { address: "192.0.43.8", family: 4 },
  { address: "::1", family: 6 },
];
const named = (url: string) => url.replace("127.0.0.1", "push.example.com");

async function sendBy(
  credentials: Credentials,
  push: PushPayload,
  target: PushTarget,
  options: Partial<ProviderOptions> = {},
): Promise<Outcome> {
  return keep(openProvider(credentials, "production", options)).send(push, target);
}

const sendWeb = (token: string, options: Partial<ProviderOptions> = {}) =>
  sendBy(web.credentials, web.push, { ...web.device(), token }, options);

const failed = (reason: string) => ({ kind: "failed", reason });

describe("a browser's endpoint", () => {
  test.each([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:7f00:1]",
    "0x7f.1",
    "2130706433",
  ])("on %s is refused without a request", async (host) => {
    const url = `https://${host}:${new URL(web.standIn.url).port}/push/a`;
    expect(checkEndpoint(url, false)).toBe("must not lead into a private network");
    expect(await sendWeb(url)).toEqual(failed(leads("the endpoint")));
    expect(web.standIn.connections()).toBe(0);
  });

  test.each([
    ["a private address", inside],
    ["a private address among public ones", mixed],
  ])("whose name resolves to %s is refused on connecting", async (_, resolve) => {
    const url = named(web.device().token);
    expect(checkEndpoint(url, false)).toBeNull();
    expect(await sendWeb(url, { connector: new Connector({ resolve }) })).toEqual(failed(NETWORK));
    expect(web.standIn.connections()).toBe(0);
  });

  test("is resolved for each connection, so that DNS rebinding fails", async () => {
    const asked: string[] = [];
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname);
      return inside(hostname);
    };
    const provider = keep(
      openProvider(web.credentials, "production", { connector: new Connector({ resolve }) }),
    );
    for (let count = 0; count < 3; count++) {
      const target = { ...web.device(), token: named(web.device().token) };
      expect(await provider.send(web.push, target)).toEqual(failed(NETWORK));
    }
    expect(asked).toEqual(["push.example.com", "push.example.com", "push.example.com"]);
  });

  test("with an unknown name has the outcome retry", async () => {
    const resolve: Resolve = async () => {
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    };
    const outcome = await sendWeb("https://push.example.com/a", {
      connector: new Connector({ resolve }),
    });
    expect(outcome).toEqual({
      kind: "retry",
      reason: "no connection (ENOTFOUND)",
      delayMs: null,
    });
  });

  test.each([
    ["http://push.example.com/a", "the endpoint must be a URL that begins with https://"],
    ["ftp://push.example.com/a", "the endpoint must be a URL that begins with https://"],
    ["https://a:b@push.example.com/a", "the endpoint must be a URL without a user name"],
    ["no url", "the endpoint must be a URL that begins with https://"],
    [
      `https://push.example.com/${"a".repeat(2048)}`,
      "the endpoint is too long (maximum is 2048 characters)",
    ],
  ])("such as %.40s is refused: %s", async (url, reason) => {
    expect(await sendWeb(url)).toEqual(failed(reason));
    expect(await sendWeb(url, { connector: new Connector({ resolve: inside }) })).toEqual(
      failed(reason),
    );
  });

  describe("if private networks are allowed", () => {
    let plain: Server;
    const asked: string[] = [];

    beforeAll(async () => {
      plain = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.writeHead(201, { Location: "/message/1" }).end();
      });
      await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    });
    afterAll(() => new Promise((resolve) => plain.close(resolve)));
    const allowed = { connector: new Connector({ allowPrivate: true }) };
    const plainUrl = () => `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;

    test("is reachable by address and name", async () => {
      const device = web.device();
      const send = (token: string) =>
        sendBy(web.credentials, web.push, { ...device, token }, allowed);
      expect(await send(device.token)).toMatchObject({ kind: "accepted" });
      // The stand-in refuses a token for another origin, which proves that it was reached.
      expect(await send(device.token.replace("127.0.0.1", "localhost"))).toMatchObject({
        kind: "failed",
        reason: expect.stringContaining("status 403"),
      });
    });

    test("is reachable without TLS", async () => {
      expect(checkEndpoint(`${plainUrl()}/push/1`, true)).toBeNull();
      expect(await sendWeb(`${plainUrl()}/push/1`, allowed)).toEqual({
        kind: "accepted",
        providerId: "/message/1",
      });
      expect(asked.splice(0)).toEqual(["POST /push/1"]);
    });

    test.each([
      301, 302, 303, 307, 308,
    ])("is not followed on a redirect with status %i", async (status) => {
      const device = web.device();
      web.script(device, { kind: "answer", status, headers: { location: `${plainUrl()}/secret` } });
      const outcome = await sendBy(web.credentials, web.push, device, allowed);
      expect(outcome).toEqual(failed(`status ${status}: a redirect, which is not followed`));
      expect(asked).toEqual([]);
    });
  });
});

describe("a service's own address, which an application names", () => {
  const APPLE = () => apns.token;
  const GOOGLE = () => fcm.credentials;
  const cases: Array<
    [string, () => { fixture: ApnsFixture | FcmFixture; literal: Credentials; named: Credentials }]
  > = [
    [
      "of Apple's",
      () => ({
        fixture: apns,
        literal: APPLE(),
        named: { ...APPLE(), baseUrl: named(apns.standIn.url) },
      }),
    ],
    [
      "of Google's",
      () => ({
        fixture: fcm,
        literal: { ...GOOGLE(), tokenUrl: undefined },
        named: {
          ...GOOGLE(),
          baseUrl: named(fcm.standIn.url),
          tokenUrl: named(fcm.standIn.tokenUrl),
        },
      }),
    ],
    [
      "of Google's exchange of tokens",
      () => ({
        fixture: fcm,
        literal: { ...GOOGLE(), baseUrl: undefined },
        named: { ...GOOGLE(), baseUrl: undefined, tokenUrl: named(fcm.standIn.tokenUrl) },
      }),
    ],
  ];

  test.each(
    cases,
  )("%s is refused in a private network, by address and by name", async (_, make) => {
    const { fixture, literal, named: byName } = make();
    expect(await sendBy(literal, fixture.push, fixture.device())).toEqual(
      failed(leads("the address of the service")),
    );
    const outcome = await sendBy(byName, fixture.push, fixture.device(), {
      connector: new Connector({ resolve: inside }),
    });
    expect(outcome).toEqual(failed(NETWORK));
    const provider = keep(
      openProvider(byName, "production", { connector: new Connector({ resolve: inside }) }),
    );
    expect(await provider.check()).toContain(NETWORK);
    expect(fixture.standIn.connections()).toBe(0);
  });

  test.each(cases)("%s must be https: and have no user name", async (_, make) => {
    const { fixture, named: byName } = make();
    const change = (to: string) =>
      JSON.parse(JSON.stringify(byName).replaceAll("https://push.example.com", to)) as Credentials;
    expect(await sendBy(change("http://push.example.com"), fixture.push, fixture.device())).toEqual(
      failed("the address of the service must be a URL that begins with https://"),
    );
    expect(
      await sendBy(change("https://a:b@push.example.com"), fixture.push, fixture.device()),
    ).toEqual(failed("the address of the service must be a URL without a user name"));
  });

  test("is reachable if private networks are allowed", async () => {
    const allowed = { connector: new Connector({ allowPrivate: true }) };
    for (const fixture of [apns, fcm]) {
      const credentials = fixture === apns ? apns.token : fcm.credentials;
      const outcome = await sendBy(credentials, fixture.push, fixture.device(), allowed);
      expect(outcome).toMatchObject({ kind: "accepted" });
    }
  });
});
