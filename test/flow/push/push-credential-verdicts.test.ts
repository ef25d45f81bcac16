import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { graphql } from "../../../tools/graphql/graphql-http";
import { makeAppleCertificate, makeAuthority } from "../../../tools/stand-ins/certificates";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { addDevice, eventCounts, payload, postEvent } from "../../support/push/push";
import { p8 } from "../../support/push/push-credentials";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const APNS = { key: p8(), keyId: "ABC1234567", teamId: "TEAM123456", bundleId: "com.example.app" };
const clock = new MovingClock();
const providers = new RecordingProviders();
/** What the push service says about checked credentials. */
let verdict: string | null = null;
let node: TestNode;
let user: TestUser;
let owner: string;
beforeAll(async () => {
  node = await startNode(
    {},
    {
      clock,
      pushProvider: providers.open,
      checkCredentials: async () => verdict,
      jobsPollMs: 100,
    },
  );
  user = await newUser(node);
  owner = await ownerToken(node);
});
afterAll(() => node.stop());

const scope = () => ({ applicationId: String(node.application.id), environment: "DEVELOPMENT" });

/** Sends a push to an Apple device, which may name a bundle identifier, and whose push service answers so. */
async function send(reason: string | null, bundleId: string | null = null): Promise<void> {
  await node.sql("DELETE FROM push_subscriptions");
  const token = await addDevice(node, user, "apns");
  await node.sql("UPDATE push_subscriptions SET bundle_id = $1", [bundleId]);
  providers.outcomes.set(token, () =>
    reason === null ? { kind: "accepted", providerId: null } : { kind: "failed", reason },
  );
  const [event] = await postEvent(node, user, {
    push_type: "apns",
    message: payload(),
    user: { ids: user.id },
  });
  await eventCounts(node, event.id);
}
const state = async () => {
  const { data } = await graphql(
    node,
    `query ($id: ID!) { application(id: $id) { pushCredentials(environment: DEVELOPMENT) {
      apns { refusedSince refusedReason updatedAt } } } }`,
    { id: scope().applicationId },
    owner,
  );
  return data.application.pushCredentials.apns;
};
/** Waits until the credentials are refused, or not. */
const refused = (reason: string | null) =>
  eventually(state, ({ refusedReason }) => refusedReason === reason);
const set = async () => {
  const { errors } = await graphql(
    node,
    `mutation ($input: SetPushCredentialsInput!) {
      setPushCredentials(input: $input) { warning } }`,
    { input: { ...scope(), apns: { ...APNS } } },
    owner,
  );
  expect(errors).toBeUndefined();
};
const check = async () => {
  const { data, errors } = await graphql(
    node,
    `mutation ($input: CheckPushCredentialsInput!) {
      checkPushCredentials(input: $input) { checks { service outcome reason message } } }`,
    { input: scope() },
    owner,
  );
  expect(errors).toBeUndefined();
  return data.checkPushCredentials.checks;
};

it("are recorded as refused when a push is, since then, and no longer after an accepted one", async () => {
  await set();
  expect(await state()).toMatchObject({ refusedSince: null, refusedReason: null });
  const { updatedAt } = await state();
  await send("InvalidProviderToken");
  const first = await refused("InvalidProviderToken");
  expect(first.refusedSince).toEqual(expect.any(String));
  clock.advance(5 * MINUTE);
  await send("InvalidProviderToken");
  expect(await state()).toEqual(first);
  await send("TopicDisallowed");
  expect(await refused("TopicDisallowed")).toMatchObject({ refusedSince: first.refusedSince });
  await send(null);
  expect(await refused(null)).toMatchObject({ refusedSince: null, updatedAt });
});

it("are not refused by what concerns one device", async () => {
  await send("DeviceTokenNotForTopic");
  await send("PayloadTooLarge");
  await send("TopicDisallowed", "com.example.other");
  await send("BadTopic", "com.example.other");
  expect(await state()).toMatchObject({ refusedSince: null });
  await send("TopicDisallowed");
  await refused("TopicDisallowed");
  await send(null);
  await refused(null);
});

it("are recorded by a check, which answers in words, and forgotten when others are set", async () => {
  verdict = "InvalidProviderToken";
  expect(await check()).toEqual([
    {
      service: "APNS",
      outcome: "REFUSED",
      reason: "InvalidProviderToken",
      message:
        "Apple's push service refuses the credentials: the key, its key id and the team id do not belong together, or the key was revoked (InvalidProviderToken).",
    },
  ]);
  expect(await state()).toMatchObject({ refusedReason: "InvalidProviderToken" });
  verdict = "the service is unavailable: no answer";
  expect(await check()).toMatchObject([{ outcome: "UNREACHABLE" }]);
  expect(await state()).toMatchObject({ refusedReason: "InvalidProviderToken" });
  verdict = null;
  expect(await check()).toMatchObject([
    { outcome: "ACCEPTED", message: "Apple's push service accepts the credentials." },
  ]);
  expect(await state()).toMatchObject({ refusedSince: null });
  await send("InvalidProviderToken");
  await refused("InvalidProviderToken");
  await set();
  expect(await state()).toMatchObject({ refusedSince: null, refusedReason: null });
  await send("InvalidProviderToken");
  await refused("InvalidProviderToken");
});

it("are not refused by a push of earlier ones that was still in flight when they were set", async () => {
  await node.sql("DELETE FROM push_subscriptions");
  const token = await addDevice(node, user, "apns");
  let answer: (outcome: Outcome) => void = () => undefined;
  const outcome = new Promise<Outcome>((resolve) => {
    answer = resolve;
  });
  providers.outcomes.set(token, () => outcome);
  const body = { push_type: "apns", message: payload(), user: { ids: user.id } };
  const [event] = await postEvent(node, user, body);
  await eventually(
    () => providers.tokens(),
    (tokens) => tokens.includes(token),
  );
  clock.advance(1_000);
  await set();
  answer({ kind: "failed", reason: "InvalidProviderToken" });
  await eventCounts(node, event.id);
  // The later ones get the same verdict, which the earlier one must neither replace nor hold back.
  clock.advance(1_000);
  const before = Math.floor(clock.now() / 1000) * 1000;
  await send("InvalidProviderToken");
  const { refusedSince } = await refused("InvalidProviderToken");
  expect(Date.parse(refusedSince)).toBeGreaterThanOrEqual(before);
});

describe("the list of an account's credentials that need attention", () => {
  const problems = async (at: TestNode = node) => {
    const { data, errors } = await graphql(
      at,
      `{ account { pushCredentialProblems {
        applicationId environment service validUntil refusedSince refusedReason } } }`,
      {},
      // The clock of the node advances.
      await memberToken(at, "support", 1_000),
    );
    expect(errors).toBeUndefined();
    return data.account.pushCredentialProblems;
  };
  const DAY = 24 * HOUR;
  /** Sets a certificate that is valid for some days more. */
  const setCertificate = async (at: TestNode, days: number) => {
    const notAfter = new Date(Math.floor(clock.now() / 1000) * 1000 + days * DAY);
    const issued = makeAppleCertificate(
      makeAuthority(),
      "com.example.app",
      ["production"],
      notAfter,
    );
    const apns = {
      certificate: issued.certificate,
      privateKey: issued.privateKey,
      bundleId: "com.example.app",
    };
    const { errors } = await graphql(
      at,
      `mutation ($input: SetPushCredentialsInput!) { setPushCredentials(input: $input) { warning } }`,
      {
        input: { applicationId: String(at.application.id), environment: "PRODUCTION", apns },
      },
      await ownerToken(at),
    );
    expect(errors).toBeUndefined();
    return notAfter.toISOString().replace(".000Z", "Z");
  };

  it("has those that are refused, with the reason", async () => {
    await set();
    expect(await problems()).toEqual([]);
    await send("InvalidProviderToken");
    await refused("InvalidProviderToken");
    expect(await problems()).toEqual([
      {
        ...scope(),
        service: "APNS",
        validUntil: null,
        refusedSince: expect.any(String),
        refusedReason: "InvalidProviderToken",
      },
    ]);
    await set();
  });

  it("has certificates within 30 days of their end, and none of another account", async () => {
    await setCertificate(node, 31);
    const foreign = await secondApplication(node);
    const end = await setCertificate(foreign, 29);
    expect(await problems()).toEqual([]);
    const problem = { environment: "PRODUCTION", service: "APNS", refusedSince: null };
    expect(await problems(foreign)).toEqual([
      {
        ...problem,
        applicationId: String(foreign.application.id),
        validUntil: end,
        refusedReason: null,
      },
    ]);
    clock.advance(2 * DAY);
    expect(await problems()).toMatchObject([
      { ...problem, ...{ applicationId: scope().applicationId } },
    ]);
  });
});
