import { Client } from "pg";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { addDevice } from "../../support/push/push";
import { androidDevice, appleToken, browserKeys } from "../../support/push/push-devices";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const CREATE = `mutation ($input: CreatePushSubscriptionInput!) { createPushSubscription(input: $input) {
  subscription { id databaseId channel environment platform udid bundleId createdAt updatedAt } } }`;
const LIST = `{ pushSubscriptions { totalCount nodes { id channel environment platform udid bundleId }
  edges { node { id } } } }`;
const DELETE = `mutation ($input: DeletePushSubscriptionInput!) {
  deletePushSubscription(input: $input) { deletedPushSubscriptionId } }`;

let node: TestNode;
let other: TestNode;
beforeAll(async () => {
  node = await startNode();
  other = await secondApplication(node);
});
afterAll(() => node.stop());

type Changes = { push_token?: object; device?: object; notification_channel?: unknown };
/** Parameters of an Android device with changes. */
function device(changes: Changes = {}) {
  const { notification_channel, push_token, device } = androidDevice();
  return {
    notification_channel: changes.notification_channel ?? notification_channel,
    push_token: { ...push_token, ...changes.push_token },
    device: { ...device, ...changes.device },
  };
}
const webDevice = (changes: object = {}) => ({
  notification_channel: "web",
  push_token: { environment: "development", ...browserKeys(), ...changes },
  device: { platform: "web", udid: "browser" },
});

const subscribe = ({ token }: Pick<TestUser, "token">, body: unknown) =>
  rest(node, "POST", "/subscriptions", { token, body });
const listed = async ({ token }: Pick<TestUser, "token">) =>
  (await rest(node, "GET", "/subscriptions", { token })).body;
const idsOf = async (user: TestUser): Promise<number[]> =>
  (await listed(user)).map((entry: { subscription: { id: number } }) => entry.subscription.id);
const idOf = ({ body }: { body: Array<{ subscription: { id: number } }> }) =>
  body[0]?.subscription.id ?? 0;

interface Row {
  id: number;
  user_id: number;
  channel: string;
  environment: string;
  platform: string;
  udid: string;
  token: string;
  bundle_id: string | null;
  web_auth: string | null;
  web_p256dh: string | null;
}
const rowsOf = ({ id }: Pick<TestUser, "id">) =>
  node.sql<Row>("SELECT * FROM push_subscriptions WHERE user_id = $1 ORDER BY id", [id]);

/** Waits until a condition holds. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Parameters with brackets, as in a form. */
function form(body: Record<string, unknown>): URLSearchParams {
  const pairs = Object.entries(body).flatMap(
    ([name, value]): Array<[string, string]> =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)])
        : [[name, String(value)]],
  );
  return new URLSearchParams(pairs);
}

describe("POST /subscriptions", () => {
  it.each(["JSON", "a form"])("accepts every parameter in %s", async (how) => {
    const user = await newUser(node);
    const body = {
      notification_channel: "apns",
      push_token: {
        environment: "production",
        bundle_identifier: "com.example.App-1",
        client_identification_sequence: appleToken(),
      },
      device: { platform: "ios", udid: "Zoë’s iPhone" },
    };
    const answer = await subscribe(user, how === "JSON" ? body : form(body));
    const subscription = {
      id: expect.any(Number),
      notification_channel: { name: "apns" },
      device: { udid: "Zoë’s iPhone", platform: { name: "ios" } },
    };
    expect([answer.status, answer.body]).toEqual([201, [{ subscription }]]);
    expect(await listed(user)).toEqual(answer.body);
    expect(await rowsOf(user)).toEqual([
      expect.objectContaining({
        id: idOf(answer),
        channel: "apns",
        environment: "production",
        platform: "ios",
        token: body.push_token.client_identification_sequence,
        bundle_id: "com.example.App-1",
        web_auth: null,
        web_p256dh: null,
      }),
    ]);
  });

  it.each(["JSON", "a form"])("accepts a browser's keys in %s", async (how) => {
    const user = await newUser(node);
    const body = webDevice();
    const { web_endpoint, web_auth, web_p256dh } = browserKeys();
    Object.assign(body.push_token, { web_endpoint, web_auth, web_p256dh });
    const answer = await subscribe(user, how === "JSON" ? body : form(body));
    expect([answer.status, answer.body[0].subscription.notification_channel]).toEqual([
      201,
      { name: "web" },
    ]);
    expect(await rowsOf(user)).toEqual([
      expect.objectContaining({ token: web_endpoint, web_auth, web_p256dh, platform: "web" }),
    ]);
  });

  const named: Array<[channel: string, kept: string]> = [
    ["apns", "apns"],
    ["apns_voip", "apns_voip"],
    ["gcm", "gcm"],
    ["fcm", "gcm"],
    ["GCM", "gcm"],
  ];
  it.each(named)("accepts the channel %s, and stores it as %s", async (channel, kept) => {
    const user = await newUser(node);
    const push_token = { client_identification_sequence: appleToken() };
    const { status, body } = await subscribe(
      user,
      device({ notification_channel: channel, push_token }),
    );
    expect([status, body[0].subscription.notification_channel]).toEqual([201, { name: kept }]);
    expect((await rowsOf(user)).map((row) => row.channel)).toEqual([kept]);
  });

  it.each(["ios", "android", "web"])("accepts the platform %s", async (platform) => {
    const { status, body } = await subscribe(await newUser(node), device({ device: { platform } }));
    expect([status, body[0].subscription.device.platform]).toEqual([201, { name: platform }]);
  });

  it.each(["development", "production"])("keeps %s separate", async (environment) => {
    const user = await newUser(node);
    await subscribe(user, device({ push_token: { environment } }));
    expect((await rowsOf(user)).map((row) => row.environment)).toEqual([environment]);
  });

  it.each([
    ["<%s>", "in brackets"],
    ["%s ", "with a blank behind it"],
  ])("accepts an Apple token in the format of older iOS versions: %s, %s", async (shape) => {
    const user = await newUser(node);
    const token = appleToken();
    const grouped = token.toUpperCase().replace(/.{8}(?=.)/g, "$& ");
    const push_token = { client_identification_sequence: shape.replace("%s", grouped) };
    const answer = await subscribe(user, device({ notification_channel: "apns", push_token }));
    expect([answer.status, (await rowsOf(user))[0]?.token]).toEqual([201, token]);
  });

  it("accepts a browser's keys in either alphabet of Base64, with or without padding", async () => {
    const user = await newUser(node);
    const keys = browserKeys();
    const padded = (text: string) => Buffer.from(text, "base64url").toString("base64");
    await subscribe(
      user,
      webDevice({ ...keys, web_auth: padded(keys.web_auth), web_p256dh: padded(keys.web_p256dh) }),
    );
    const [row] = await rowsOf(user);
    expect([row?.web_auth, row?.web_p256dh]).toEqual([keys.web_auth, keys.web_p256dh]);
  });

  it("accepts the longest values, and treats an empty bundle as absent", async () => {
    const user = await newUser(node);
    // Random, so that PostgreSQL cannot compress it.
    const long = Array.from({ length: 64 }, appleToken).join("");
    const push_token = { client_identification_sequence: long, bundle_identifier: "" };
    const udid = "👍".repeat(255);
    const answer = await subscribe(user, device({ push_token, device: { udid } }));
    expect([answer.status, long.length]).toEqual([201, 4096]);
    expect(await rowsOf(user)).toEqual([
      expect.objectContaining({ token: long, udid, bundle_id: null }),
    ]);
    expect(await subscribe(user, device({ push_token, device: { udid } }))).toMatchObject({
      body: answer.body,
    });
    const web_endpoint = `https://push.example/${"x".repeat(2_027)}`;
    expect((await subscribe(user, webDevice({ web_endpoint }))).status).toBe(201);
  });

  const missing: Array<[wire: string, body: object]> = [
    ["notification_channel", { ...device(), notification_channel: undefined }],
    ["environment", device({ push_token: { environment: undefined } })],
    [
      "client_identification_sequence",
      device({ push_token: { client_identification_sequence: undefined } }),
    ],
    [
      "client_identification_sequence",
      device({ push_token: { client_identification_sequence: "" } }),
    ],
    [
      "client_identification_sequence",
      device({ push_token: { client_identification_sequence: null } }),
    ],
    ["platform", device({ device: { platform: undefined } })],
    ["udid", device({ device: { udid: undefined } })],
    ["web_endpoint", webDevice({ web_endpoint: undefined })],
    ["web_auth", webDevice({ web_auth: undefined })],
    ["web_p256dh", webDevice({ web_p256dh: "" })],
  ];
  it.each(missing)("requires %s", async (wire, body) => {
    const user = await newUser(node);
    const answer = await subscribe(user, body);
    expect([answer.status, answer.body]).toEqual([422, { errors: { [wire]: ["is required"] } }]);
    expect(await rowsOf(user)).toEqual([]);
  });

  const apple = (client_identification_sequence: unknown) =>
    device({ notification_channel: "apns", push_token: { client_identification_sequence } });
  const pushed = (push_token: object) => device({ push_token });
  const on = (fields: object) => device({ device: fields });
  const google = (client_identification_sequence: unknown) =>
    pushed({ client_identification_sequence });
  const offTheCurve = Buffer.alloc(65, 4).toString("base64url");
  const wrong: Array<[wire: string, text: RegExp, body: object]> = [
    [
      "notification_channel",
      /^must be one of apns, apns_voip, gcm, web, fcm$/,
      device({ notification_channel: "email" }),
    ],
    ["notification_channel", /^must be one of/, device({ notification_channel: ["gcm"] })],
    ["environment", /^must be one of development, production$/, pushed({ environment: "staging" })],
    ["platform", /^must be one of ios, android, web$/, on({ platform: "windows" })],
    ["udid", /^must not be empty$/, on({ udid: " " })],
    ["udid", /too long \(maximum is 255 characters\)/, on({ udid: "x".repeat(256) })],
    ["udid", /NUL/, on({ udid: "a\0b" })],
    ["udid", /must be text/, on({ udid: {} })],
    ["client_identification_sequence", /maximum is 4096 characters/, google("x".repeat(4_097))],
    ["client_identification_sequence", /visible ASCII/, google("two words")],
    ["client_identification_sequence", /visible ASCII/, google("tökën")],
    ["client_identification_sequence", /without a backslash/, google("a\\b")],
    ["client_identification_sequence", /must be text/, google({})],
    ["client_identification_sequence", /hexadecimal/, apple("no token")],
    ["client_identification_sequence", /hexadecimal digits/, apple("abc")],
    ["client_identification_sequence", /in hexadecimal/, apple("<>")],
    ["client_identification_sequence", /a device token/, apple("ab<cd>")],
    ["client_identification_sequence", /too long/, apple("ab".repeat(2_049))],
    ["bundle_identifier", /1 to 255 letters/, pushed({ bundle_identifier: "com.example\r\nx: y" })],
    ["bundle_identifier", /1 to 255/, pushed({ bundle_identifier: "x".repeat(256) })],
    ["web_endpoint", /begins with https/, webDevice({ web_endpoint: "http://push.example/1" })],
    ["web_endpoint", /must be a URL/, webDevice({ web_endpoint: "push.example" })],
    ["web_endpoint", /must be a URL/, webDevice({ web_endpoint: "https://a:b@push.example/" })],
    ["web_endpoint", /must be a URL/, webDevice({ web_endpoint: "https://push.example/?a\\b" })],
    ["web_endpoint", /private network/, webDevice({ web_endpoint: "https://127.0.0.1/1" })],
    ["web_endpoint", /private network/, webDevice({ web_endpoint: "https://[::ffff:a00:1]/1" })],
    ["web_endpoint", /private network/, webDevice({ web_endpoint: "https://localhost:8443/1" })],
    ["web_endpoint", /private network/, webDevice({ web_endpoint: "https://169.254.169.254/" })],
    [
      "web_endpoint",
      /too long \(maximum is 2048 characters\)/,
      webDevice({ web_endpoint: `https://push.example/${"x".repeat(2_028)}` }),
    ],
    ["web_auth", /16 bytes/, webDevice({ web_auth: "AAAA" })],
    ["web_auth", /in Base64/, webDevice({ web_auth: "not Base64 at all!!!!" })],
    ["web_p256dh", /65 bytes/, webDevice({ web_p256dh: "AAAA" })],
    ["web_p256dh", /key on P-256/, webDevice({ web_p256dh: offTheCurve })],
    [
      "client_identification_sequence",
      /other channels/,
      webDevice({ client_identification_sequence: "x" }),
    ],
    ["web_endpoint", /only for the channel web/, pushed(browserKeys())],
  ];
  it.each(wrong)("refuses a wrong %s by its wire name: %s", async (wire, text, body) => {
    const user = await newUser(node);
    const answer = await subscribe(user, body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([
      422,
      expect.arrayContaining([wire]),
    ]);
    expect(answer.body.errors[wire][0]).toMatch(text);
    expect(await rowsOf(user)).toEqual([]);
  });

  it("reports all wrong fields at once", async () => {
    const push_token = { web_endpoint: "x", web_auth: "x", web_p256dh: "x" };
    const { status, body } = await subscribe(await newUser(node), {
      ...webDevice({ ...push_token, bundle_identifier: "a b" }),
      device: { platform: "web", udid: "" },
    });
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      422,
      ["bundle_identifier", "udid", "web_auth", "web_endpoint", "web_p256dh"],
    ]);
  });

  it("is available to guests", async () => {
    const body = { ...signedParameters(node), user: { guest: true } };
    const { session } = (await rest(node, "POST", "/session", { body })).body;
    expect((await subscribe(session, device())).status).toBe(201);
    expect(await listed(session)).toHaveLength(1);
  });
});

describe("a device", () => {
  it("has one subscription per channel and environment, which keeps its id with a new token", async () => {
    const user = await newUser(node);
    const first = device();
    const { udid } = first.device;
    const id = idOf(await subscribe(user, first));
    const renewed = device({
      push_token: { bundle_identifier: "app" },
      device: { udid, platform: "ios" },
    });
    expect(idOf(await subscribe(user, renewed))).toBe(id);
    expect(await rowsOf(user)).toEqual([
      expect.objectContaining({
        id,
        platform: "ios",
        bundle_id: "app",
        token: renewed.push_token.client_identification_sequence,
      }),
    ]);
    const others = [
      device({ device: { udid }, push_token: { environment: "production" } }),
      { ...webDevice(), device: { platform: "android", udid } },
      device({
        device: { udid },
        notification_channel: "apns",
        push_token: { client_identification_sequence: appleToken() },
      }),
    ];
    for (const body of others) expect((await subscribe(user, body)).status).toBe(201);
    expect(await idsOf(user)).toHaveLength(4);
  });

  it("that registers again unchanged gets the same response, and updates its time", async () => {
    const user = await newUser(node);
    const body = device();
    const answer = await subscribe(user, body);
    await node.sql("UPDATE push_subscriptions SET updated_at = '2020-01-01' WHERE user_id = $1", [
      user.id,
    ]);
    const again = await subscribe(user, {
      ...body,
      push_token: { ...body.push_token, bundle_identifier: "new" },
    });
    expect([again.status, again.body]).toEqual([201, answer.body]);
    const [row] = await node.sql<{ bundle_id: string; recent: boolean; old: boolean }>(
      `SELECT bundle_id, updated_at > now() - interval '1 minute' AS recent,
        created_at = updated_at AS old FROM push_subscriptions WHERE user_id = $1`,
      [user.id],
    );
    expect(row).toEqual({ bundle_id: "new", recent: true, old: false });
  });

  it("a token registered by another user moves to them, and the previous subscription is deleted", async () => {
    const [one, two] = [await newUser(node), await newUser(node)];
    const body = device();
    const kept = idOf(await subscribe(one, device()));
    await subscribe(one, body);
    const moved = await subscribe(two, { ...body, device: { platform: "ios", udid: "another" } });
    expect(moved.status).toBe(201);
    expect(await idsOf(one)).toEqual([kept]);
    expect(await idsOf(two)).toEqual([idOf(moved)]);
  });

  it("a token registered by another device of the same user moves to it", async () => {
    const user = await newUser(node);
    const body = device();
    const first = idOf(await subscribe(user, body));
    const second = idOf(await subscribe(user, { ...body, device: androidDevice().device }));
    expect(await idsOf(user)).toEqual([second]);
    expect(second).not.toBe(first);
    // Also if that device already has a subscription.
    const third = device();
    const id = idOf(await subscribe(user, third));
    await subscribe(user, { ...third, push_token: body.push_token });
    expect(await idsOf(user)).toEqual([id]);
  });

  it("a browser's endpoint moves like any token, regardless of its keys", async () => {
    const [one, two] = [await newUser(node), await newUser(node)];
    const { web_endpoint } = browserKeys();
    await subscribe(one, webDevice({ web_endpoint }));
    // The fragment does not distinguish endpoints.
    await subscribe(two, webDevice({ web_endpoint: `${web_endpoint}#x` }));
    expect(await rowsOf(one)).toEqual([]);
    expect((await rowsOf(two)).map(({ token }) => token)).toEqual([web_endpoint]);
  });

  it("an equal udid of another user moves nothing", async () => {
    const [one, two] = [await newUser(node), await newUser(node)];
    const body = device();
    await subscribe(one, body);
    const before = await rowsOf(one);
    const answer = await subscribe(two, device({ device: body.device }));
    expect(answer.status).toBe(201);
    expect(await rowsOf(one)).toEqual(before);
    expect(await rowsOf(two)).toHaveLength(1);
  });

  it("tokens are separate per application, channel and environment", async () => {
    const [one, two] = [await newUser(node), await newUser(node)];
    const elsewhere = await newUser(other);
    const body = apple();
    await subscribe(one, body);
    await subscribe(elsewhere, body);
    await subscribe(two, { ...body, notification_channel: "apns_voip" });
    await subscribe(two, {
      ...body,
      push_token: { ...body.push_token, environment: "production" },
    });
    expect(await rowsOf(one)).toHaveLength(1);
    expect(await rowsOf(elsewhere)).toHaveLength(1);
    expect(await rowsOf(two)).toHaveLength(2);
  });

  const apple = () =>
    device({
      notification_channel: "apns",
      push_token: { client_identification_sequence: appleToken() },
    });
});

describe("a user has up to 100 subscriptions", () => {
  it("beyond which the least recently registered one is deleted", async () => {
    const user = await newUser(node);
    await node.sql(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid,
          token, created_at, updated_at)
        SELECT $1, $2, 'gcm', 'development', 'android', 'old ' || n, $3 || n,
          now() - interval '1 year', now() - n * interval '1 minute' FROM generate_series(1, 100) n`,
      [node.application.id, user.id, `old-${user.id}-`],
    );
    const oldest = device({ device: { udid: "old 100" } });
    expect((await subscribe(user, oldest)).status).toBe(201);
    expect(await rowsOf(user)).toHaveLength(100);
    const id = idOf(await subscribe(user, device()));
    const rows = await rowsOf(user);
    expect(rows).toHaveLength(100);
    expect(rows.map((row) => row.id)).toContain(id);
    const gone = ["old 98", "old 99", "old 100"].filter(
      (udid) => !rows.some((row) => row.udid === udid),
    );
    expect(gone).toEqual(["old 99"]);
    expect(
      (await listed(user)).map((each: { subscription: { id: number } }) => each.subscription.id),
    ).toEqual(rows.map((row) => row.id));
  });
});

describe("GET /subscriptions", () => {
  it("lists the user's own subscriptions, oldest first, with exactly the keys of a subscription", async () => {
    const [user, bystander] = [await newUser(node), await newUser(node)];
    expect(await listed(user)).toEqual([]);
    await subscribe(bystander, device());
    const bodies = [device(), webDevice()];
    const created = [];
    for (const body of bodies) created.push(...(await subscribe(user, body)).body);
    // Registering again keeps the position.
    await subscribe(user, bodies[0]);
    for (const path of ["/subscriptions", "/subscriptions.json"]) {
      const { status, body, text } = await rest(node, "GET", path, { token: user.token });
      expect([status, body]).toEqual([200, created]);
      expect(text).not.toContain(bodies[0]?.push_token.environment);
    }
    expect(created.map(({ subscription }) => Object.keys(subscription))).toEqual([
      ["id", "notification_channel", "device"],
      ["id", "notification_channel", "device"],
    ]);
  });
});

describe("DELETE /subscriptions/{id}", () => {
  it("deletes an own subscription with an empty response, and the device may register again", async () => {
    const user = await newUser(node);
    const body = device();
    const kept = idOf(await subscribe(user, device()));
    const id = idOf(await subscribe(user, body));
    const path = `/subscriptions/${id}.json`;
    const { status, text } = await rest(node, "DELETE", path, { token: user.token });
    expect([status, text]).toEqual([200, ""]);
    expect(await idsOf(user)).toEqual([kept]);
    expect((await rest(node, "DELETE", path, { token: user.token })).status).toBe(404);
    expect(idOf(await subscribe(user, body))).toBeGreaterThan(id);
  });

  it("does not find another user's subscription or an invalid id", async () => {
    const [user, stranger, foreigner] = [
      await newUser(node),
      await newUser(node),
      await newUser(other),
    ];
    const id = idOf(await subscribe(user, device()));
    for (const { token } of [stranger, foreigner]) {
      for (const each of [String(id), "0", "-1", "999999", "abc", "1e3", `0${id}`, "..%2f1"]) {
        const answer = await rest(node, "DELETE", `/subscriptions/${each}`, { token });
        expect([each, answer.status, answer.body]).toEqual([
          each,
          404,
          { errors: { base: ["There is no such subscription"] } },
        ]);
      }
    }
    expect(await idsOf(user)).toEqual([id]);
  });
});

describe("GraphQL", () => {
  const run = (document: string, input: object | null, { token }: TestUser) =>
    graphql(node, document, input ? { input } : {}, token);
  const input = (changes: object = {}) => {
    const { push_token, device: made } = androidDevice();
    const token = push_token.client_identification_sequence;
    const rest = { environment: "PRODUCTION", platform: "ANDROID", udid: made.udid };
    return { channel: "GCM", ...rest, token, ...changes };
  };

  it("subscribes, lists and deletes", async () => {
    const user = await newUser(node);
    const given = input({ channel: "FCM", bundleId: "com.example.app" });
    const { data, errors } = await run(CREATE, given, user);
    expect(errors).toBeUndefined();
    const { subscription } = data.createPushSubscription;
    const { udid } = given;
    const expected = { udid, bundleId: "com.example.app", channel: "GCM" };
    const rest = { environment: "PRODUCTION", platform: "ANDROID" };
    expect(subscription).toEqual({
      ...expected,
      ...rest,
      id: String(subscription.databaseId),
      databaseId: expect.any(Number),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: subscription.createdAt,
    });
    const { id } = subscription;
    expect((await run(LIST, null, user)).data).toEqual({
      pushSubscriptions: {
        totalCount: 1,
        nodes: [{ ...expected, ...rest, id }],
        edges: [{ node: { id } }],
      },
    });
    const renewed = await run(CREATE, { ...given, bundleId: null }, user);
    expect(renewed.data.createPushSubscription.subscription).toMatchObject({ id, bundleId: null });
    expect((await run(DELETE, { id }, user)).data).toEqual({
      deletePushSubscription: { deletedPushSubscriptionId: id },
    });
    expect((await run(DELETE, { id }, user)).errors?.[0].extensions.code).toBe("NOT_FOUND");
    expect((await run(LIST, null, user)).data.pushSubscriptions.totalCount).toBe(0);
  });

  it("lists in pages, forward and backward", async () => {
    const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
      pushSubscriptions(first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { udid } edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
    const user = await newUser(node);
    for (const udid of ["a", "b", "c", "d"]) await addDevice(node, user, "gcm", { udid });
    const ask = (variables: Record<string, unknown>) => graphql(node, PAGE, variables, user.token);
    const page = async (variables: Record<string, unknown>) => {
      const { data } = await ask(variables);
      const { nodes, edges, ...more } = data.pushSubscriptions;
      for (const { cursor, node } of edges) expect(cursor).toBe(node.id);
      return { udids: nodes.map(({ udid }: { udid: string }) => udid).join(""), ...more };
    };
    const first = await page({ first: 2 });
    expect(first).toMatchObject({ udids: "ab", totalCount: 4, pageInfo: { hasNextPage: true } });
    await node.sql("DELETE FROM push_subscriptions WHERE user_id = $1 AND udid = 'a'", [user.id]);
    const second = await page({ first: 2, after: first.pageInfo.endCursor });
    expect(second).toMatchObject({ udids: "cd", totalCount: 3, pageInfo: { hasNextPage: false } });
    const back = await page({ last: 5, before: second.pageInfo.startCursor });
    expect(back).toMatchObject({ udids: "b", pageInfo: { hasPreviousPage: false } });
    const { errors } = await ask({ after: "x" });
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { after: ["is not a cursor of this list"] },
    });
  });

  it("accepts a browser's keys", async () => {
    const user = await newUser(node);
    const { web_endpoint: endpoint, web_auth: auth, web_p256dh: p256dh } = browserKeys();
    const web = { endpoint, auth, p256dh };
    const { data } = await run(CREATE, input({ channel: "WEB", token: null, web }), user);
    expect(data.createPushSubscription.subscription.channel).toBe("WEB");
    expect((await rowsOf(user))[0]).toMatchObject({ token: endpoint, web_auth: auth });
  });

  it.each([
    [["token"], { token: null }],
    [["udid"], { udid: "" }],
    [["bundleId", "token"], { bundleId: " ", token: " " }],
    [["web.endpoint", "web.auth", "web.p256dh"], { channel: "WEB", token: null }],
    [["web.auth"], { web: { auth: "x" } }],
  ])("reports the wrong fields: %j", async (fields, changes) => {
    const { errors } = await run(CREATE, input(changes), await newUser(node));
    expect(errors?.[0].extensions).toMatchObject({ code: "INVALID" });
    expect(Object.keys(errors?.[0].extensions.fields)).toEqual(expect.arrayContaining(fields));
    expect(Object.keys(errors?.[0].extensions.fields)).toHaveLength(fields.length);
  });

  it("refuses an unknown channel", async () => {
    const { errors } = await run(CREATE, input({ channel: "EMAIL" }), await newUser(node));
    expect(errors?.[0].extensions.code).toBe("INVALID");
  });
});

describe("concurrently", () => {
  const MANY = 50;
  const atOnce = <T>(ask: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: MANY }, (_, index) => ask(index)));

  it("one device gets one subscription, and no request fails", async () => {
    const user = await newUser(node);
    const body = device();
    const same = await atOnce(() => subscribe(user, body));
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(same.map(idOf)).size).toBe(1);
    // Also with a different token each time.
    const tokens = await atOnce(() => subscribe(user, device({ device: body.device })));
    expect(new Set(tokens.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set([...same, ...tokens].map(idOf))).toEqual(new Set(await idsOf(user)));
    expect(await idsOf(user)).toHaveLength(1);
  });

  it("one token belongs to one user", async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => newUser(node)));
    const body = device();
    const answers = await atOnce((index) => subscribe(users[index % 5] as TestUser, body));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const rows = await node.sql("SELECT id FROM push_subscriptions WHERE token = $1", [
      body.push_token.client_identification_sequence,
    ]);
    expect(rows).toHaveLength(1);
  });

  it("devices that swap their tokens do not deadlock", async () => {
    const users = [await newUser(node), await newUser(node)] as const;
    const devices = [device(), device()] as const;
    const bodyOf = (who: number, whose: number) => ({
      ...devices[who % 2 ? 1 : 0],
      push_token: devices[whose % 2 ? 1 : 0].push_token,
    });
    await Promise.all(users.map((user, who) => subscribe(user, bodyOf(who, who))));
    for (let round = 1; round <= 10; round++) {
      const answers = await Promise.all(
        [0, 1, 0, 1].map((who) => subscribe(users[who] as TestUser, bodyOf(who, who + round))),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    }
    const held = await Promise.all(users.map(async (user) => (await rowsOf(user))[0]?.token));
    expect(held).toEqual(
      devices.map(({ push_token }) => push_token.client_identification_sequence),
    );
  });

  it("a user never has more than 100 subscriptions", async () => {
    const user = await newUser(node);
    for (let round = 0; round < 3; round++) {
      const answers = await atOnce(() => subscribe(user, device()));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    }
    expect(await rowsOf(user)).toHaveLength(100);
  });

  it("a user who is deleted in the meantime leaves no subscription", async () => {
    const user = await newUser(node);
    const asked = atOnce(() => subscribe(user, device()));
    await rest(node, "DELETE", `/users/${user.id}`, { token: user.token });
    for (const { status } of await asked) expect([201, 401]).toContain(status);
    expect(await rowsOf(user)).toEqual([]);
  });
});

if (hasServices) {
  it("a token moves even while outcomes delete both subscriptions in another order", async () => {
    const [one, two] = [await newUser(node), await newUser(node)];
    const [phone, other] = [device(), device()];
    const own = idOf(await subscribe(two, phone));
    const id = idOf(await subscribe(one, other));
    const deliveries = new Client({ connectionString: node.environment.DATABASE_URL });
    await deliveries.connect();
    try {
      // Makes PostgreSQL abort the request in the deadlock.
      await deliveries.query("SET deadlock_timeout = '1min'; BEGIN");
      await deliveries.query("DELETE FROM push_subscriptions WHERE id = $1", [id]);
      // The second phone takes over the first's token: it waits for that row while locking its own.
      const moved = subscribe(two, { ...phone, push_token: other.push_token });
      await until(async () => {
        const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        return (await node.sql(`${waiting} AND datname = current_database()`)).length > 0;
      });
      await deliveries.query("DELETE FROM push_subscriptions WHERE id = $1", [own]);
      await deliveries.query("COMMIT");
      expect((await moved).status).toBe(201);
    } finally {
      await deliveries.end();
    }
    expect([await rowsOf(one), (await rowsOf(two)).length]).toEqual([[], 1]);
  });
}

describe("of a user", () => {
  it("subscriptions are deleted with the user", async () => {
    const user = await newUser(node);
    await subscribe(user, device());
    await rest(node, "DELETE", `/users/${user.id}`, { token: user.token });
    expect(await rowsOf(user)).toEqual([]);
  });

  it("subscriptions are completely in the owner's export", async () => {
    const user = await newUser(node);
    const body = webDevice();
    const id = idOf(await subscribe(user, body));
    const { data } = await graphql(
      node,
      "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }",
      { input: { applicationId: String(node.application.id), userId: String(user.id) } },
      await ownerToken(node),
    );
    const { web_endpoint, web_auth, web_p256dh } = body.push_token as ReturnType<
      typeof browserKeys
    >;
    expect(data.exportUser.export.subscriptions).toEqual([
      expect.objectContaining({
        id,
        userId: user.id,
        channel: "web",
        platform: "web",
        udid: "browser",
        token: web_endpoint,
        webAuth: web_auth,
        webP256dh: web_p256dh,
      }),
    ]);
  });
});
