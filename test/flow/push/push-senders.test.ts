import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { addDevice, eventBody, eventCounts } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const providers = new RecordingProviders();
let node: TestNode;
let user: TestUser;
let guest: string;
let owner: string;
beforeAll(async () => {
  node = await startNode({ RATE_PUSHES_PER_USER: "5" }, { pushProvider: providers.open });
  user = await newUser(node);
  await addDevice(node, user);
  const body = { ...signedParameters(node), user: { guest: 1 } };
  guest = (await rest(node, "POST", "/session", { body })).body.session.token;
  owner = await ownerToken(node);
});
afterAll(() => node.stop());

const post = async (token: string) =>
  (await rest(node, "POST", "/events", { token, body: eventBody({ user: { ids: user.id } }) }))
    .status;
const allow = (who: string) =>
  node.sql("UPDATE applications SET push_senders = $1::push_senders", [who]);

it.each([
  ["users", 201, 201],
  ["members", 201, 403],
  ["nobody", 403, 403],
])("with the setting %s, sending returns: users %i, guests %i", async (who, users, guests) => {
  await allow(who);
  expect([await post((await newUser(node)).token), await post(guest)]).toEqual([users, guests]);
  await allow("users");
});

it("an application session may not send", async () => {
  expect(await post(await applicationToken(node))).toBe(403);
});

it("sending is limited per sender", async () => {
  const [busy, other] = [await newUser(node), await newUser(node)];
  const statuses = [];
  for (let n = 0; n < 6; n += 1) statuses.push(await post(busy.token));
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
  expect(await post(other.token)).toBe(201);
});

describe("the account's owner", () => {
  const SEND = `mutation ($input: CreatePushEventInput!) {
    createPushEvent(input: $input) { events { id userId } } }`;
  const input = () => ({
    applicationId: String(node.application.id),
    environment: "DEVELOPMENT",
    message: { notification: { title: "Hello" } },
    userIds: [String(user.id)],
  });

  it("sends regardless of the setting, and sees the event and its deliveries", async () => {
    await allow("nobody");
    const { data, errors } = await graphql(node, SEND, { input: input() }, owner);
    await allow("users");
    expect(errors).toBeUndefined();
    const [{ id, userId }] = data.createPushEvent.events;
    expect(userId).toBeNull();
    await eventCounts(node, Number(id));
    const read = await graphql(
      node,
      `query ($id: ID!, $app: ID!) {
        pushEvent(id: $id) { acceptedCount }
        application(id: $app) { pushEvents(first: 1) { nodes { id } } }
        pushDeliveries(eventId: $id) { nodes { outcome userId } }
      }`,
      { id, app: String(node.application.id) },
      owner,
    );
    expect(read.data).toEqual({
      pushEvent: { acceptedCount: 1 },
      application: { pushEvents: { nodes: [{ id }] } },
      pushDeliveries: { nodes: [{ outcome: "ACCEPTED", userId: String(user.id) }] },
    });
    const elsewhere = await ownerToken(await secondApplication(node));
    const foreign = await graphql(
      node,
      "query ($id: ID!) { pushEvent(id: $id) { id } }",
      { id },
      elsewhere,
    );
    expect(foreign.data).toEqual({ pushEvent: null });
    const refused = await graphql(node, SEND, { input: input() }, elsewhere);
    expect(refused.errors?.[0].extensions.code).toBe("NOT_FOUND");
    const own = await graphql(
      node,
      "query ($id: ID!) { pushEvent(id: $id) { id } }",
      { id },
      user.token,
    );
    expect(own.data).toEqual({ pushEvent: null });
  });
});
