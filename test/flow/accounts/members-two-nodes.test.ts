import { authLookups } from "../../../src/auth-lookups";
import { hashToken } from "../../../src/core/random";
import type { MemberRole } from "../../../src/core/viewer";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { openTestModules } from "../../support/auth-modules";
import { addConference, guestToken } from "../../support/conferences/stored-conference";
import { eventually, HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newGuest } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";

/** Sockets of members on other nodes, and on a node that missed the events of the others. */

const CLOSED = { code: 4401, reason: "Required session does not exist" };

describeServices("on two nodes, the socket of a member at the other node closes", () => {
  let one: TestNode;
  let two: TestNode;
  beforeAll(async () => {
    one = await startNode();
    two = await startNode({}, {}, one);
  });
  afterAll(async () => {
    await two?.stop();
    await one?.stop();
  });

  const change = async (mutation: string, input: object, token: string) => {
    const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
    expect((await graphql(one, query, { input }, token)).errors).toBeUndefined();
  };
  const ENDS: Array<[string, (token: string, id: string) => Promise<unknown>]> = [
    ["is removed", async (_, id) => change("removeMember", { id }, await ownerToken(one))],
    [
      "gets a lesser role",
      async (_, id) => change("updateMember", { id, role: "SUPPORT" }, await ownerToken(one)),
    ],
    ["signs out", (token) => graphql(one, "mutation { signOutMember { signedOut } }", {}, token)],
    [
      "signs out everywhere",
      async () => {
        const again = await memberToken(one, "developer");
        return graphql(one, "mutation { signOutMemberEverywhere { signedOut } }", {}, again);
      },
    ],
  ];

  test.each(ENDS)("when the member %s", async (_what, end) => {
    await one.sql("DELETE FROM account_members WHERE role <> 'owner'");
    const token = await memberToken(one, "developer");
    const here = await openSocket(one, token);
    const there = await openSocket(two, token);
    const { data } = await there.run("{ currentMember { id } }");
    await end(token, data.currentMember.id);
    expect(await Promise.all([here.closed, there.closed])).toEqual([CLOSED, CLOSED]);
  });
});

test("a node that was disconnected from the others closes the sockets of sessions and guests that ended or expired, or whose role is less", async () => {
  const node = await startNode();
  const clock = new MovingClock();
  const modules = await openTestModules({ store: node.app.store, clock });
  try {
    const { sessions, accounts } = modules;
    const links = { findLinkGuest: () => Promise.reject(new Error("not asked for")) };
    const apiKeys = { ...accounts, uses: { record: () => undefined } };
    const { findMemberByToken } = authLookups(sessions, accounts, links, apiKeys);
    const closed: string[] = [];
    const watch = async (name: string, token: string) => {
      const viewer = await findMemberByToken(token);
      modules.sessionEvents.members.track({ ...viewer, close: () => closed.push(name) });
      return viewer;
    };
    const connect = async (name: string, role: MemberRole, hours = 3) =>
      watch(name, await memberToken(node, role, hours));
    await connect("live", "owner");
    await connect("expired", "owner", 1);
    const demoted = await connect("demoted", "developer");
    const promoted = await connect("removed", "support");
    await node.sql("UPDATE account_members SET role = 'support' WHERE id = $1", [demoted.memberId]);
    await node.sql("DELETE FROM account_members WHERE id = $1", [promoted.memberId]);
    const conference = await addConference(node, await newGuest(node));
    for (const [name, minutes] of [
      ["live guest", 180],
      ["expired guest", 60],
      ["removed guest", 180],
    ] as const) {
      const token = await guestToken(node, conference);
      const [row] = await node.sql<{ id: number }>(
        `UPDATE conference_guests SET expires_at = now() + $2 * interval '1 minute'
          WHERE token_hash = $1 RETURNING id`,
        [hashToken(token), minutes],
      );
      const number = row?.id ?? 0;
      const conferenceId = Number(conference.id);
      modules.sessionEvents.guests.track({
        conferenceId,
        number,
        close: () => closed.push(name),
      });
      if (name === "removed guest") {
        await node.sql("DELETE FROM conference_guests WHERE id = $1", [number]);
      }
    }
    clock.advance(2 * HOUR);
    expect(closed).toEqual([]);
    // Sent by the bus after a reconnect. The periodic check comes far later.
    await modules.platform.bus.publish("session-events", "");
    await eventually(
      () => closed.length,
      (count) => count >= 5,
    );
    expect(closed.sort()).toEqual([
      "demoted",
      "expired",
      "expired guest",
      "removed",
      "removed guest",
    ]);
  } finally {
    await modules.close();
    await node.stop();
  }
});
