import { createConference, mutate, passes } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { type ChatClient, jidOf, rawChat } from "../../support/calls/signal-clients";
import type { Tree } from "../../support/chat/xml-tree";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { addDevice } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newUser, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

const providers = new RecordingProviders();
let node: TestNode;
let host: TestUser;
let invited: TestUser;
const sockets: Array<{ close(): unknown }> = [];

beforeAll(async () => {
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
    new MemoryEngine(listener);
  node = await startNode({}, { openEngine, pushProvider: providers.open, jobsPollMs: 100 });
  host = await newUser(node, { full_name: "Ann Ångström" });
});
beforeEach(async () => {
  invited = await newUser(node);
  providers.sent.length = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.close();
});
afterAll(() => node.stop());

const invite = (conferenceId: string, userIds: number[], token = host.token) => {
  const input = { conferenceId, userIds: userIds.map(String) };
  return mutate(node, "inviteToConference", "conference { id }", input, token);
};

const SUBSCRIPTION = `subscription ($after: String) { conferenceInvitations(after: $after) {
  cursor inviterId conference { id name } } }`;

/** Subscribes to invitations. @returns those received so far */
async function listen(user: TestUser, after?: string) {
  const socket: GraphqlSocket = await openSocket(node, user.token);
  sockets.push(socket);
  const payload = { query: SUBSCRIPTION, variables: { after: after ?? null } };
  socket.send({ id: "invitations", type: "subscribe", payload });
  return () =>
    socket.received.flatMap(({ id, payload: received }) =>
      id === "invitations" && received?.data ? [received.data.conferenceInvitations] : [],
    );
}

/** Invites again until the subscription, which the protocol does not confirm, receives it. */
async function inviteUntil(id: string, arrived: () => unknown[]): Promise<void> {
  await passes(async () => {
    await invite(id, [invited.id]);
    expect(arrived()).not.toEqual([]);
  });
}

test("an invitation reaches a GraphQL subscriber, and again after its cursor", async () => {
  const id = await createConference(node, host.token, { name: "Planning" });
  const arrived = await listen(invited);
  await inviteUntil(id, arrived);
  const [first] = arrived();
  expect(first).toEqual({
    cursor: expect.any(String),
    inviterId: String(host.id),
    conference: { id, name: "Planning" },
  });
  const other = await createConference(node, host.token, { name: "Later" });
  await invite(other, [invited.id]);
  const resumed = await listen(invited, first.cursor);
  await passes(() => {
    expect(resumed().map(({ conference }) => conference.name)).toContain("Later");
  });
});

/** What legacy call code does with a headline (docs/COMPATIBILITY.md): it ignores types that it does not know. */
class LegacyCalls {
  readonly ringing: string[] = [];

  handle(message: Tree): void {
    const params = child(message, "extraParams");
    if (textOf(params, "moduleIdentifier") !== "WebRTCVideoChat") return;
    if (textOf(params, "signalType") === "call") this.ringing.push(textOf(params, "sessionID"));
  }
}

function child(tree: Tree | undefined, name: string): Tree | undefined {
  return tree?.content.find((each): each is Tree => typeof each !== "string" && each.name === name);
}

function textOf(tree: Tree | undefined, name: string): string {
  return child(tree, name)?.content.join("") ?? "";
}

test("an XMPP client gets a headline of another type than call, which does not ring", async () => {
  const id = await createConference(node, host.token, { name: "A & B <x>" });
  const chat: ChatClient = await rawChat(node, invited, "phone");
  sockets.push(chat);
  const calls = new LegacyCalls();
  await invite(id, [invited.id]);
  const headline = await chat.next();
  calls.handle(headline);
  expect(headline.attributes).toMatchObject({
    type: "headline",
    from: jidOf(node, host, headline.attributes.from?.split("/")[1]),
  });
  const params = child(headline, "extraParams");
  const names = ["moduleIdentifier", "signalType", "callerID", "conferenceID", "conferenceName"];
  expect(names.map((name) => textOf(params, name))).toEqual([
    "WebRTCVideoChat",
    "conferenceInvite",
    String(host.id),
    id,
    "A & B <x>",
  ]);
  expect(calls.ringing).toEqual([]);
  // A call still rings afterwards.
  const input = {
    to: { userId: String(invited.id) },
    signal: { call: { callId: "call-1", callType: "VIDEO", sdp: "v=0" } },
  };
  await mutate(node, "sendSignal", "id", input, host.token);
  calls.handle(await chat.next());
  expect(calls.ringing).toEqual(["call-1"]);
});

test("the push wakes devices if the application sends incoming-call pushes", async () => {
  const id = await createConference(node, host.token, { name: "Wake" });
  await addDevice(node, invited, "apns");
  await invite(id, [invited.id]);
  const update =
    "mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }";
  const settings = {
    applicationId: String(node.application.id),
    incomingCallPush: true,
    incomingCallPushEnvironment: "DEVELOPMENT",
  };
  await graphql(node, update, { input: settings }, await ownerToken(node));
  expect(providers.sent).toEqual([]);
  await invite(id, [invited.id]);
  await passes(() => expect(providers.sent).toHaveLength(1));
  const push = providers.sent[0]?.push as { payload: string };
  expect(JSON.parse(push.payload)).toEqual({
    aps: { alert: { title: "Wake", body: "Ann Ångström invites you to a conference" } },
    conference: { id, inviterId: String(host.id) },
  });
});

test("who may invite whom", async () => {
  const listed = await createConference(node, host.token, { access: "LISTED" });
  const other = await newUser(node);
  await expect(invite(listed, [other.id], invited.token)).rejects.toThrow(/^NOT_FOUND/);
  await invite(listed, [invited.id]);
  // The invitation lists the user, who may join but not invite others.
  await mutate(node, "joinConference", "membershipId", { conferenceId: listed }, invited.token);
  await expect(invite(listed, [other.id], invited.token)).rejects.toThrow(/^FORBIDDEN/);
  await expect(invite(listed, [])).rejects.toThrow(/INVALID.*userIds/);
  await expect(invite(listed, [999_999_999])).rejects.toThrow(/INVALID.*userIds/);
  await mutate(node, "closeConference", "conference { id }", { conferenceId: listed }, host.token);
  await expect(invite(listed, [other.id])).rejects.toThrow(/^CONFLICT/);
});

test("a forged invitation to a conference that the user may not see is dropped", async () => {
  const hidden = await createConference(node, host.token, { access: "LISTED" });
  const open = await createConference(node, host.token, { name: "Open" });
  const arrived = await listen(invited);
  await inviteUntil(open, arrived);
  const extra = [{ name: "conferenceID", text: hidden }];
  const forged = {
    to: { userId: String(invited.id) },
    signal: { other: { signalType: "conferenceInvite", extra } },
  };
  await mutate(node, "sendSignal", "id", forged, host.token);
  const before = arrived().length;
  await invite(open, [invited.id]);
  await passes(() => expect(arrived().length).toBeGreaterThan(before));
  expect(arrived().map(({ conference }) => conference.name)).not.toContain(hidden);
  expect(new Set(arrived().map(({ conference }) => conference.id))).toEqual(new Set([open]));
});

describe("the limit of pushes", () => {
  let limited: TestNode;
  let sender: TestUser;
  beforeAll(async () => {
    const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
      new MemoryEngine(listener);
    limited = await startNode({ RATE_PUSHES_PER_USER: "3" }, { openEngine });
    sender = await newUser(limited);
    await limited.sql("UPDATE applications SET incoming_call_push = true");
  });
  afterAll(() => limited.stop());

  const inviteAll = (conferenceId: string, users: TestUser[]) => {
    const userIds = users.map(({ id }) => String(id));
    const input = { conferenceId, userIds };
    return mutate(limited, "inviteToConference", "conference { id }", input, sender.token);
  };

  test("counts each user who is invited, and a refused invitation reaches nobody", async () => {
    const users = [await newUser(limited), await newUser(limited)];
    const id = await createConference(limited, sender.token, { access: "LISTED" });
    await inviteAll(id, users);
    const late = [await newUser(limited), await newUser(limited)];
    const chat: ChatClient = await rawChat(limited, late[0] as TestUser, "phone");
    sockets.push(chat);
    await expect(inviteAll(id, late)).rejects.toThrow(/^LIMITED Too many requests/);
    const listed = await limited.sql("SELECT user_id FROM conference_users");
    expect(listed).toHaveLength(2);
    const text = { to: { userId: String(late[0]?.id) }, signal: { hangUp: { callId: "after" } } };
    await mutate(limited, "sendSignal", "id", text, sender.token);
    // The first signal that arrives is the one after the invitation.
    const params = child(await chat.next(), "extraParams");
    expect(textOf(params, "signalType")).toBe("hangUp");
    // Somebody else is not limited.
    const input = { conferenceId: id, userIds: [String(users[1]?.id)] };
    await expect(
      mutate(limited, "inviteToConference", "conference { id }", input, users[0]?.token),
    ).rejects.toThrow(/^FORBIDDEN/);
  });

  test("does not count where no push is sent", async () => {
    await limited.sql("UPDATE applications SET incoming_call_push = false");
    const id = await createConference(limited, sender.token);
    const users = [await newUser(limited), await newUser(limited)];
    for (let round = 0; round < 3; round += 1) await inviteAll(id, users);
  });
});
