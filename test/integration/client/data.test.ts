import {
  createPushEvent,
  createPushSubscription,
  createUser,
  deletePushSubscription,
  deleteUser,
  destroyOtherSessions,
  getCall,
  getUser,
  iceServers,
  listCalls,
  listPushSubscriptions,
  listSessions,
  listUsers,
  type Session,
  type SignalboxError,
  updateUser,
  webPushKey,
} from "../../../client/src/index.ts";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId, send, waitForCall } from "../../support/calls/calls";
import { startNode, type TestNode } from "../../support/node";
import { browserKeys } from "../../support/push/push-devices";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { closeSignalboxes, openSignalbox } from "./signalbox";

/** The typed functions of the package, each against a node. */

let node: TestNode;
let ann: TestUser;
let ben: TestUser;
let session: Session;
beforeAll(async () => {
  node = await startNode({ TURN_URLS: "stun:stun.example:3478" });
});
beforeEach(async () => {
  [ann, ben] = [await newUser(node, { full_name: "Ann" }), await newUser(node)];
  session = openSignalbox(node, { session: () => ann.token }).session;
});
afterEach(closeSignalboxes);
afterAll(() => node.stop());

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: SignalboxError) => error.code,
  );

test("users are created, found by each key, listed by pages, changed and deleted", async () => {
  const password = "correct horse";
  const created = await createUser(session, { login: `new-${ann.id}`, password, tags: ["staff"] });
  expect(created).toMatchObject({ login: `new-${ann.id}`, tags: ["staff"], isGuest: false });
  expect(await getUser(session, { id: created.id })).toEqual(created);
  expect(await getUser(session, { login: created.login ?? "" })).toEqual(created);
  expect(await getUser(session, { login: "nobody" })).toBeNull();
  expect(await codeOf(createUser(session, { login: created.login ?? "", password }))).toBe(
    "INVALID",
  );

  const filter = { id: { in: [ann.id, Number(created.id)] } };
  const sort = { asc: "ID" } as const;
  const first = await listUsers(session, { filter, sort, first: 1 });
  expect(first).toMatchObject({ totalCount: 2, nodes: [{ fullName: "Ann" }] });
  const after = first.pageInfo.endCursor;
  expect((await listUsers(session, { filter, sort, first: 1, after })).nodes).toEqual([created]);
  expect(await codeOf(listUsers(session))).toBe("FORBIDDEN");

  const id = String(ann.id);
  expect(await updateUser(session, { id, fullName: "Anna" })).toMatchObject({ fullName: "Anna" });
  expect(await codeOf(updateUser(session, { id: created.id, fullName: "No" }))).toBe("FORBIDDEN");
  await deleteUser(session, id);
  expect((await rest(node, "GET", `/users/${id}`, { token: ben.token })).status).toBe(404);
});

test("devices are subscribed once for each udid, listed and unsubscribed", async () => {
  const device = () => {
    const { web_endpoint: endpoint, web_auth: auth, web_p256dh: p256dh } = browserKeys();
    return createPushSubscription(session, {
      channel: "WEB",
      environment: "DEVELOPMENT",
      platform: "WEB",
      udid: "browser",
      web: { endpoint, auth, p256dh },
    });
  };
  await device();
  const subscribed = await device();
  expect(subscribed).toMatchObject({ channel: "WEB", platform: "WEB", udid: "browser" });
  const { nodes, totalCount, pageInfo } = await listPushSubscriptions(session, { first: 5 });
  expect([nodes, totalCount, pageInfo.hasNextPage]).toEqual([[subscribed], 1, false]);
  await deletePushSubscription(session, subscribed.id);
  expect((await listPushSubscriptions(session)).nodes).toEqual([]);
  expect(await codeOf(deletePushSubscription(session, subscribed.id))).toBe("NOT_FOUND");
});

test("a push is sent once for each idempotency key, and refused without a recipient", async () => {
  const input: Parameters<typeof createPushEvent>[1] = {
    environment: "DEVELOPMENT",
    userIds: [ben.id],
    message: { notification: { title: "Order 7", body: "On its way" } },
  };
  expect(await codeOf(createPushEvent(session, input))).toBe("INVALID");
  const other = openSignalbox(node, { session: () => ben.token }).session;
  await createPushSubscription(other, {
    channel: "GCM",
    environment: "DEVELOPMENT",
    platform: "ANDROID",
    udid: "phone",
    token: `token-${ben.id}`,
  });
  const [event, ...others] = await createPushEvent(session, input, "order-7");
  expect([event, others]).toMatchObject([{ channel: "GCM", environment: "DEVELOPMENT" }, []]);
  expect(await createPushEvent(session, input, "order-7")).toMatchObject([{ id: event?.id }]);
  const another = { ...input, message: { notification: { title: "Order 8", body: "Delayed" } } };
  expect(await codeOf(createPushEvent(session, another, "order-7"))).toBe("INVALID");
  expect((await createPushEvent(session, input))[0]?.id).not.toBe(event?.id);
});

test("the VAPID key is null until the owner has set one", async () => {
  expect(await webPushKey(session, "PRODUCTION")).toBeNull();
  const SET = `mutation ($input: SetPushCredentialsInput!) {
    setPushCredentials(input: $input) { credentials { web { publicKey } } } }`;
  const input = {
    applicationId: String(node.application.id),
    environment: "DEVELOPMENT",
    skipCheck: true,
    web: { generate: true, subject: "mailto:push@shop.example" },
  };
  const { data } = await graphql(node, SET, { input }, await ownerToken(node));
  const { publicKey } = data.setPushCredentials.credentials.web;
  expect(await webPushKey(session, "DEVELOPMENT")).toBe(publicKey);
  expect(await webPushKey(session, "PRODUCTION")).toBeNull();
});

test("calls are read and listed, newest first, by state and by pages", async () => {
  const [older, newer] = [newSessionId(), newSessionId()];
  for (const callId of [older, newer]) {
    await send(node, ann, ben, "call", callId);
    await waitForCall(node, ann, callId, "RINGING");
  }
  await send(node, ben, ann, "reject", older);
  await waitForCall(node, ann, older, "REJECTED");
  expect(await getCall(session, older)).toMatchObject({
    callId: older,
    state: "REJECTED",
    callerId: String(ann.id),
    participants: expect.arrayContaining([
      expect.objectContaining({ userId: String(ann.id), caller: true }),
      expect.objectContaining({ userId: String(ben.id), reason: "DECLINED" }),
    ]),
  });
  const ids = async (variables: Parameters<typeof listCalls>[1]) =>
    (await listCalls(session, variables)).nodes.map(({ callId }) => callId);
  expect(await ids({})).toEqual([newer, older]);
  expect(await ids({ states: ["REJECTED"] })).toEqual([older]);
  const { endCursor: after } = (await listCalls(session, { first: 1 })).pageInfo;
  expect(await ids({ first: 1, after })).toEqual([older]);
  expect(await codeOf(getCall(session, "unknown"))).toBe("NOT_FOUND");
});

test("ICE servers have the form that RTCPeerConnection takes", async () => {
  expect(await iceServers(session)).toEqual([{ urls: ["stun:stun.example:3478"] }]);
});

test("sessions are listed, and the others ended", async () => {
  const other = await signIn(node, ann);
  const { nodes } = await listSessions(session);
  expect(nodes.map(({ current }) => current).sort()).toEqual([false, true]);
  expect(nodes[0]).toMatchObject({ ip: expect.any(String), userAgent: expect.any(String) });
  expect(await destroyOtherSessions(session)).toBe(1);
  expect((await rest(node, "GET", "/session", { token: other.token })).status).toBe(401);
  expect((await listSessions(session)).nodes).toHaveLength(1);
});
