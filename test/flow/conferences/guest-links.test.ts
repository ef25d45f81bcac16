import { hashToken, newToken } from "../../../src/core/random";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newGuest, newUser, rest, type TestUser } from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";
import { memberToken, ownerToken } from "../../support/sessions/owner";

/** Links for guests: how long and how many they admit, with whose right they end, and who is out then. */

const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
  new MemoryEngine(listener);
const clock = new MovingClock();
const open: GraphqlParticipant[] = [];
let node: TestNode;
let host: TestUser;
let id: string;

beforeAll(async () => {
  // A single node counts limits by the test's clock; Redis uses its own.
  node = await startNode(
    { REDIS_URL: "", TRUST_PROXY: "127.0.0.1", RATE_SIGN_UPS_PER_IP: "100" },
    { openEngine, clock },
  );
});
beforeEach(async () => {
  // Another window of the limits.
  clock.advance(MINUTE);
  host = await newUser(node);
  id = await createConference(node, host.token);
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => node.stop());

async function join(
  at: TestNode,
  conferenceId: string,
  token: string,
): Promise<GraphqlParticipant> {
  const participant = await joinConference(at, conferenceId, token);
  open.push(participant);
  return participant;
}

const createLink = (
  options: object = {},
  at = node,
  conferenceId = id,
  { token }: { token: string } = host,
): Promise<{ secret: string; link: { id: string; expiresAt: string } }> =>
  mutate(
    at,
    "createConferenceLink",
    "secret link { id expiresAt }",
    { conferenceId, ...options },
    token,
  );
const admit = async (secret: string, at = node): Promise<string> =>
  (await mutate(at, "admitConferenceGuest", "token", { secret, name: "Guest" })).token;
const withdraw = (linkId: string, at = node, { token }: { token: string } = host) =>
  mutate(at, "deleteConferenceLink", "deletedLinkId", { linkId }, token);

test("a link admits guests until it expires, and they are out then", async () => {
  const { secret, link } = await createLink({ validSeconds: 90 });
  expect(Date.parse(link.expiresAt) - clock.now()).toBeLessThanOrEqual(90_000);
  const first = await join(node, id, host.token);
  const guest = await join(node, id, await admit(secret));
  clock.advance(MINUTE);
  const token = await admit(secret);
  await guest.mutate("setConferenceMute", "participant { id }", { audio: true });
  await first.event("ConferenceParticipantUpdatedEvent", (event) => event.participant.audioMuted);
  clock.advance(MINUTE);
  await expect(admit(secret)).rejects.toThrow(/^NOT_FOUND The link is not valid/);
  await expect(join(node, id, token)).rejects.toThrow(/^UNAUTHENTICATED/);
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: guest.participantId, reason: "SESSION_ENDED" });
  await passes(() => expect(guest.isOver()).toBe(true));
});

test.each([
  0,
  59,
  30 * 24 * 3600 + 1,
])("a link is not valid for %i seconds", async (validSeconds) => {
  await expect(createLink({ validSeconds })).rejects.toThrow(/^INVALID.*validSeconds/);
});

test("a conference has at most 50 links", async () => {
  for (let count = 0; count < 50; count += 1) await createLink();
  await expect(createLink()).rejects.toThrow(/^LIMITED A conference may have at most 50 links/);
  const { link } = await createLink({}, node, await createConference(node, host.token));
  await withdraw(link.id);
});

test("asking for guests from one address is limited, whether or not the secrets are right", async () => {
  clock.advance(MINUTE);
  const { secret } = await createLink({ maxUses: 1_000 });
  const from = async (address: string, given: string) => {
    const query = `mutation ($input: AdmitConferenceGuestInput!) {
      admitConferenceGuest(input: $input) { token } }`;
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": address },
      body: JSON.stringify({ query, variables: { input: { secret: given, name: "Guest" } } }),
    });
    const { errors } = (await response.json()) as { errors?: [{ extensions: { code: string } }] };
    return errors?.[0].extensions.code ?? "OK";
  };
  const codes: string[] = [];
  for (let count = 0; count < 50; count += 1) {
    codes.push(await from("198.51.100.1", secret), await from("198.51.100.1", `guess ${count}`));
  }
  expect(codes.filter((code) => code === "OK")).toHaveLength(50);
  expect(codes.filter((code) => code === "NOT_FOUND")).toHaveLength(50);
  expect(await from("198.51.100.1", secret)).toBe("LIMITED");
  expect(await from("198.51.100.1", "guess")).toBe("LIMITED");
  expect(await from("198.51.100.2", secret)).toBe("OK");
  clock.advance(MINUTE);
  expect(await from("198.51.100.1", secret)).toBe("OK");
});

test("a guest is out when the conference is closed, and the token with it", async () => {
  const token = await admit((await createLink()).secret);
  const guest = await join(node, id, token);
  await mutate(node, "closeConference", "conference { id }", { conferenceId: id }, host.token);
  await guest.event("ConferenceEndedEvent");
  await passes(() => expect(guest.isOver()).toBe(true));
  await expect(join(node, id, token)).rejects.toThrow(/^UNAUTHENTICATED/);
});

test("guest users join as users do", async () => {
  const user = await newGuest(node);
  const first = await join(node, id, host.token);
  const guest = await join(node, id, user.token);
  const joined = await first.event("ConferenceParticipantJoinedEvent");
  expect(joined.participant).toMatchObject({ userId: String(user.id), moderator: false });
  await guest.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
  await first.event(
    "ConferenceParticipantUpdatedEvent",
    ({ participant }) => participant.publishing,
  );
  const own = await createConference(node, user.token);
  expect((await join(node, own, user.token)).events[0]?.participants).toEqual([
    expect.objectContaining({ moderator: true }),
  ]);
  const listed = await createConference(node, host.token, { access: "LISTED" });
  await expect(join(node, listed, user.token)).rejects.toThrow(/^NOT_FOUND/);
});

test("a link that is deleted while no host hears of it leaves no guest inside", async () => {
  const { secret, link } = await createLink();
  const guest = await join(node, id, await admit(secret));
  const first = await join(node, id, host.token);
  // What a withdrawal does whose call to the host fails.
  await node.sql("DELETE FROM conference_links WHERE id = $1", [Number(link.id)]);
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: guest.participantId, reason: "LINK_WITHDRAWN" });
  await passes(() => expect(guest.isOver()).toBe(true));
});

test("guests who are admitted and join while their link is withdrawn do not stay", async () => {
  const first = await join(node, id, host.token);
  for (let round = 0; round < 8; round += 1) {
    const { secret, link } = await createLink();
    const early = await admit(secret);
    const joins = [join(node, id, early), admit(secret).then((token) => join(node, id, token))];
    const [results] = await Promise.all([Promise.allSettled(joins), withdraw(link.id)]);
    for (const result of results) {
      // Whoever was quick enough to get in is out again.
      if (result.status === "fulfilled")
        await passes(() => expect(result.value.isOver()).toBe(true));
      else expect(String(result.reason)).toMatch(/UNAUTHENTICATED|NOT_FOUND|closed with 4401/);
    }
  }
  await passes(() => expect(first.names()).toEqual([host.login]));
  expect(
    await node.sql("SELECT id FROM conference_guests WHERE conference_id = $1", [Number(id)]),
  ).toEqual([]);
});

/** How the right of a moderator to make links ends. */
const ENDS: Record<string, (moderator: TestUser) => Promise<unknown>> = {
  "is blocked": (moderator) => blockUser(node, moderator),
  "is erased": ({ id: userId, token }) => rest(node, "DELETE", `/users/${userId}`, { token }),
  "is no longer listed": () =>
    mutate(
      node,
      "updateConference",
      "conference { id }",
      { conferenceId: id, userIds: [], moderatorIds: [] },
      host.token,
    ),
  "is listed, but moderates no longer": (moderator) =>
    mutate(
      node,
      "updateConference",
      "conference { id }",
      { conferenceId: id, userIds: [String(moderator.id)], moderatorIds: [] },
      host.token,
    ),
  "is replaced as a moderator": () =>
    mutate(
      node,
      "updateConference",
      "conference { id }",
      { conferenceId: id, moderatorIds: [String(host.id)] },
      host.token,
    ),
};

test.each(Object.keys(ENDS))("a link goes with its guests when its creator %s", async (way) => {
  const moderator = await newUser(node);
  id = await createConference(node, host.token, { moderatorIds: [String(moderator.id)] });
  const mine = await createLink({}, node, id, moderator);
  const other = await createLink();
  const [token, otherToken] = [await admit(mine.secret), await admit(other.secret)];
  const first = await join(node, id, host.token);
  const guest = await join(node, id, token);
  const socket = await openSocket(node, token);
  const stays = await openSocket(node, otherToken);
  await ENDS[way]?.(moderator);
  await expect(admit(mine.secret)).rejects.toThrow(/^NOT_FOUND The link is not valid/);
  await expect(join(node, id, token)).rejects.toThrow(/^UNAUTHENTICATED/);
  expect(await socket.closed).toEqual({ code: 4401, reason: "Required session does not exist" });
  await passes(() => expect(guest.isOver()).toBe(true));
  const left = await first.event("ConferenceParticipantLeftEvent");
  expect(left).toMatchObject({ participantId: guest.participantId, reason: "LINK_WITHDRAWN" });
  if (way === "is blocked") {
    await unblockUser(node, moderator);
    await expect(admit(mine.secret)).rejects.toThrow(/^NOT_FOUND/);
  }
  // The links of others stay.
  await admit(other.secret);
  await join(node, id, otherToken);
  expect(stays.socket.readyState).toBe(stays.socket.OPEN);
  await stays.close();
});

test.each([
  "blocked",
  "demoted",
])("a link that is made while its creator is %s does not stay", async (way) => {
  for (let round = 0; round < 4; round += 1) {
    const moderator = await newGuest(node);
    id = await createConference(node, host.token, { moderatorIds: [String(moderator.id)] });
    const end = ENDS[way === "blocked" ? "is blocked" : "is no longer listed"];
    const [made] = await Promise.allSettled([
      createLink({}, node, id, moderator),
      end?.(moderator),
    ]);
    if (made.status === "rejected") {
      expect(String(made.reason)).toMatch(/UNAUTHENTICATED|FORBIDDEN/);
    } else await expect(admit(made.value.secret)).rejects.toThrow(/^NOT_FOUND/);
    const left = "SELECT 1 FROM conference_links WHERE created_by = $1";
    expect(await node.sql(left, [moderator.id])).toEqual([]);
  }
});

test("a link without a creator admits nobody", async () => {
  const { secret, link } = await createLink();
  await node.sql("UPDATE conference_links SET created_by = NULL WHERE id = $1", [Number(link.id)]);
  await expect(admit(secret)).rejects.toThrow(/^NOT_FOUND The link is not valid/);
});

test.each([
  ["is removed", "removeMember", {}],
  ["becomes a support member", "updateMember", { role: "SUPPORT" }],
])("a link of a member of the account goes with its guests when the member %s", async (_way, name, change) => {
  const owner = await ownerToken(node);
  await node.sql("DELETE FROM account_members WHERE role = 'developer'");
  const developer = await graphql(
    node,
    "{ currentMember { id } }",
    {},
    await memberToken(node, "developer"),
  );
  const memberId: string = developer.data.currentMember.id;
  const secret = newToken();
  await node.sql(
    `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by_member)
      VALUES ($1, $2, $3, 5, $4)`,
    [Number(id), hashToken(secret), new Date(clock.now() + HOUR), Number(memberId)],
  );
  const token = await admit(secret);
  const guest = await join(node, id, token);
  const run = (mutation: string, input: object) =>
    mutate(node, mutation, "__typename", { id: memberId, ...input }, owner);
  await run("updateMember", { role: "OWNER" });
  await run("updateMember", { role: "DEVELOPER" });
  await admit(secret);
  await run(name, change);
  await expect(admit(secret)).rejects.toThrow(/^NOT_FOUND/);
  await expect(join(node, id, token)).rejects.toThrow(/^UNAUTHENTICATED/);
  await passes(() => expect(guest.isOver()).toBe(true));
});

test("a guest whom a moderator removes does not come back with its token, seated or not", async () => {
  const { secret } = await createLink();
  const tokens = [await admit(secret), await admit(secret)];
  const first = await join(node, id, host.token);
  for (const [index, token] of tokens.entries()) {
    const guest = await join(node, id, token);
    const socket = await openSocket(node, token);
    // The second one has just left by itself.
    if (index === 1) await guest.leave();
    const removal = { conferenceId: id, participantId: guest.participantId };
    await mutate(node, "removeConferenceParticipant", "done", removal, host.token);
    await expect(join(node, id, token)).rejects.toThrow(/^UNAUTHENTICATED/);
    expect((await socket.closed).code).toBe(4401);
  }
  await passes(() => expect(first.names()).toEqual([host.login]));
  // Another guest may still come by the link.
  await join(node, id, await admit(secret));
});

test("a removed user may come back, and so may a guest that left by itself", async () => {
  const user = await newUser(node);
  const [seated, guestToken] = [
    await join(node, id, user.token),
    await admit((await createLink()).secret),
  ];
  const removal = { conferenceId: id, participantId: seated.participantId };
  await mutate(node, "removeConferenceParticipant", "done", removal, host.token);
  await join(node, id, user.token);
  await (await join(node, id, guestToken)).leave();
  await join(node, id, guestToken);
});

describeServices("on two nodes", () => {
  let one: TestNode;
  let two: TestNode;
  beforeAll(async () => {
    one = await startNode({}, { openEngine, clock });
    two = await startNode({}, { openEngine, clock }, one);
  });
  afterAll(async () => {
    await two.stop();
    await one.stop();
  });

  test("a guest is out at the other node when the link's creator is blocked, or a moderator removes it", async () => {
    const [owner, moderator] = [await newUser(one), await newUser(one)];
    const conferenceId = await createConference(one, owner.token, {
      moderatorIds: [String(moderator.id)],
    });
    const first = await join(one, conferenceId, owner.token);
    const { secret } = await createLink({}, one, conferenceId, moderator);
    const tokens = [await admit(secret, one), await admit(secret, two)];
    const guests: GraphqlParticipant[] = [];
    for (const token of tokens) guests.push(await join(two, conferenceId, token));
    const sockets = await Promise.all(tokens.map((token) => openSocket(two, token)));
    const removal = { conferenceId, participantId: guests[0]?.participantId };
    await mutate(one, "removeConferenceParticipant", "done", removal, owner.token);
    await blockUser(one, moderator);
    for (const [index, token] of tokens.entries()) {
      await expect(join(two, conferenceId, token)).rejects.toThrow(/^UNAUTHENTICATED/);
      expect((await sockets[index]?.closed)?.code).toBe(4401);
      await passes(() => expect(guests[index]?.isOver()).toBe(true));
    }
    await passes(() => expect(first.names()).toEqual([owner.login]));
    await expect(admit(secret, two)).rejects.toThrow(/^NOT_FOUND/);
  });

  test("a link that is withdrawn while the host does not answer: its guests are out with the next host", async () => {
    try {
      const user = await newUser(one);
      const conferenceId = await createConference(one, user.token);
      const { secret, link } = await createLink({}, one, conferenceId, user);
      const first = await join(one, conferenceId, user.token);
      const guest = await join(two, conferenceId, await admit(secret, two));
      await two.sql(
        "INSERT INTO conference_nodes (id, lease_until) VALUES ('silent', now() + interval '1 hour')",
      );
      await two.sql("UPDATE conferences SET host = 'silent' WHERE id = $1", [Number(conferenceId)]);
      const withdrawn = withdraw(link.id, two, user);
      await passes(async () => {
        const links = await two.sql("SELECT 1 FROM conference_links WHERE id = $1", [
          Number(link.id),
        ]);
        expect(links).toEqual([]);
      });
      // The search for the host gives up.
      clock.advance(MINUTE / 2);
      await withdrawn;
      await two.sql("DELETE FROM conference_nodes WHERE id = 'silent'");
      await passes(() => expect(guest.isOver()).toBe(true));
      await passes(() => expect(first.names()).toEqual([user.login]));
    } finally {
      await two.sql("DELETE FROM conference_nodes WHERE id = 'silent'");
    }
  });
});

// The last one: it moves the clock so far that signatures are refused.
test("the token of a guest lives as long as its link, and 24 hours at most", async () => {
  const short = await createLink({ validSeconds: 3600 });
  const long = await createLink({ validSeconds: 3 * 24 * 3600 });
  const [first, second] = [await admit(short.secret), await admit(long.secret)];
  // Joined by nobody else, so that nothing but the time ends them.
  const joined = await join(node, id, first);
  const [closes, stays] = [await openSocket(node, first), await openSocket(node, second)];
  clock.advance(HOUR + MINUTE);
  await expect(join(node, id, first)).rejects.toThrow(/^UNAUTHENTICATED/);
  await passes(() => expect(joined.isOver()).toBe(true));
  expect((await closes.closed).code).toBe(4401);
  expect(stays.socket.readyState).toBe(stays.socket.OPEN);
  await join(node, id, second);
  clock.advance(23 * HOUR);
  await expect(join(node, id, second)).rejects.toThrow(/^UNAUTHENTICATED/);
  expect((await stays.closed).code).toBe(4401);
  await admit(long.secret);
});
