import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { hashToken } from "../../src/core/random";
import { listConferencesOfApplication } from "../../src/domain/conferences/rooms/application-conferences";
import { conferenceUserData } from "../../src/domain/conferences/rooms/user-data";
import * as owned from "../../src/domain/conferences/rows/application-conference-queries";
import {
  conferenceState,
  deleteClosedConferences,
  findConference,
  findConferences,
  findOpenConference,
  findSnapshot,
  insertConference,
  listJoinedConferences,
  listOpenConferences,
  writeEmptyAfterSeconds,
} from "../../src/domain/conferences/rows/conference-queries";
import * as guests from "../../src/domain/conferences/rows/guest-queries";
import * as hosts from "../../src/domain/conferences/rows/host-queries";
import * as linkRights from "../../src/domain/conferences/rows/link-rights-queries";
import {
  listParticipantHistory,
  wasParticipant,
} from "../../src/domain/conferences/rows/participant-history-queries";
import * as participants from "../../src/domain/conferences/rows/participant-queries";
import * as rights from "../../src/domain/conferences/rows/participant-rights-queries";
import * as userLimits from "../../src/domain/conferences/rows/user-limit-queries";
import { openStore } from "../../src/platform/store/open";
import { purgeRows } from "../../src/platform/store/rows/expired-rows";
import type { Statement, Store } from "../../src/platform/store/store";
import { explainAnalyze, explainStatements } from "../../tools/explain";
import { type FreshDatabase, freshDatabase } from "../support/operations/database";
import { fillTables } from "../support/operations/fill-tables";
import { readExports } from "../support/operations/read-exports";
import { statementsOf } from "../support/sql-statements";

/** Enough rows for the planner not to prefer a scan. */
const ROWS = 100_000;

/** Closed conferences with their history, a hundred that are open, and one user with a long history. */
const FILL = [
  `INSERT INTO accounts (name, account_key, updated_at) VALUES ('a', 'key', now())`,
  `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
    SELECT id, 'x', 'k', 's', '{}', now() FROM accounts`,
  `INSERT INTO users (application_id, login, login_key, updated_at)
    SELECT a.id, 'l' || n, 'l' || n, now() FROM applications a, generate_series(1, ${ROWS}) n`,
  `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate, created_by, host, closed_at)
    SELECT application_id, 'room' || id, 12, true, 'everyone', 'graphql', 600000, id, 'node' || id % 10,
      CASE WHEN id % ${ROWS / 100} <> 0 THEN now() - id * interval '1 minute' END FROM users`,
  `INSERT INTO conference_users (conference_id, user_id)
    SELECT id, 1 + created_by % ${ROWS} FROM conferences`,
  `INSERT INTO conference_members (conference_id, number, user_id, name, device, lease_until, left_at)
    SELECT id, created_by, created_by, 'n', 'd', now(), CASE WHEN closed_at IS NOT NULL THEN now() END FROM conferences`,
  `INSERT INTO account_members (account_id, email, password_hash, role)
    SELECT a.id, 'm' || n, 'h', 'developer' FROM accounts a, generate_series(1, 100) n`,
  `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by, created_by_member)
    SELECT id, sha256(convert_to('s' || id, 'UTF8')), now() + interval '1 day', 5,
      CASE WHEN id % 1000 <> 0 THEN created_by END, CASE WHEN id % 1000 = 0 THEN 1 + id / 1000 % 100 END FROM conferences`,
  `INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash)
    SELECT 1000000 + id, conference_id, id, 'g', sha256(convert_to('t' || id, 'UTF8')) FROM conference_links`,
  "INSERT INTO conference_nodes (id, lease_until) SELECT 'node' || n, now() FROM generate_series(1, 10) n",
];
/** conference_nodes has a row for each node. */
const SCAN = /Seq Scan on (users|conferences|conference_(?:users|links|guests|members))\b/;

let database: FreshDatabase;
let store: Store;
const plans = new Map<string, string>();

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log: openLog("silent"), isNode: true });
  await fillTables(store, FILL);
});
afterAll(async () => {
  await store.close();
  await database.remove();
});

/** Counts of the whole deployment, which statistics-indexes explains. */
const COUNTS = ["open_conferences_count", "taken_seats_count"];

/** The names of the other statements of the module. */
function statementNames(): string[] {
  const folder = join(__dirname, "../../src/domain/conferences/rows");
  return readdirSync(folder)
    .flatMap((file) => statementsOf(join(folder, file)).map(({ name }) => name))
    .filter((name) => !COUNTS.includes(name));
}

test("every statement on conferences uses an index", async () => {
  const explained: Pick<Store, "query"> = explainStatements(store, plans);
  const { query } = explained;
  const row = {
    applicationId: 1,
    name: "new",
    seats: 12,
    video: true,
    access: "everyone",
  } as const;
  const created = await insertConference(explained, {
    ...row,
    origin: "graphql",
    bitrate: 600_000,
    emptyAfterSeconds: 600,
    createdBy: 7,
  });
  const id = created?.id ?? 0;
  await userLimits.lockOpenConferences(explained, 7);
  await userLimits.lockSeats(explained, 7);
  await findConference(explained, id);
  await findOpenConference(explained, 1, "new", 7);
  await findSnapshot(explained, id);
  for (const descending of [true, false]) {
    const read = { descending, limit: 10 };
    const range = { above: [0], below: [2 ** 40], ...read } as const;
    await listOpenConferences(explained, 1, 7, range);
    await listJoinedConferences(explained, 1, 7, range);
    const all = { applicationId: 1, open: null };
    await owned.listApplicationConferences(explained, all, range);
    const names = { above: ["", 0], below: ["\u{10FFFF}", 0], ...read } as const;
    const open = { ...all, open: true };
    const found = await owned.listConferencesByName(explained, open, "Room1", names);
    const last = found.at(-1);
    expect(last?.name).toMatch(/^room1/);
    const bound = [last?.name ?? "", last?.id ?? 0] as const;
    const next = { ...names, ...(descending ? { below: bound } : { above: bound }) };
    await owned.listConferencesByName(explained, all, "Room1", next);
    await listParticipantHistory(explained, 7, range, null);
    await listParticipantHistory(explained, 7, range, 8);
  }
  expect(await findConferences(explained, [id, 7])).toHaveLength(2);
  await owned.findLiveConferences(explained, 1, 100);
  await wasParticipant(explained, 7, 7);
  await readExports([conferenceUserData], query, 7);

  await hosts.renewNode(explained, "here");
  const acquired = await hosts.acquireConference(explained, id, "here", false);
  const ref = { conferenceId: id, node: "here", generation: acquired?.generation ?? 0 };
  await hosts.findHost(explained, id);
  await hosts.advanceConference(explained, ref);
  if (created) await hosts.writeConference(explained, conferenceState(created));
  await hosts.noteEmpty(explained, id);
  await hosts.writeEngineState(explained, ref, "embedded", {});
  const generation = (await hosts.nextGeneration(explained, ref)) ?? 0;
  await hosts.findOrphaned(explained, [id, 7]);
  await hosts.findTakenOver(explained, [id, 7], "node");
  await hosts.findAbandoned(explained);
  await hosts.purgeNodes(explained);

  const newParticipant = {
    conferenceId: id,
    number: 7,
    userId: 7,
    name: "n",
    device: "d",
    sessionId: null,
    moderator: false,
    audioMuted: false,
    videoMuted: false,
  };
  const participant = await participants.insertParticipant(explained, newParticipant, 12);
  await participants.takeOverSeat(explained, newParticipant);
  await participants.findSeatedParticipants(explained, id);
  await participants.findParticipant(explained, {
    conferenceId: id,
    participantId: participant?.id ?? 0,
    number: 7,
    generation: 1,
  });
  await participants.findSeatedParticipantsOf(explained, [id, 7]);
  if (participant) await participants.writeMedia(explained, participant);
  await participants.renewParticipants(explained, [
    { participantId: participant?.id ?? 0, generation: 2 },
  ]);
  await participants.findExpiredParticipants(explained, [id, 7]);
  await rights.findChangedRights(explained, [id, 7], new Date());
  await rights.writeModerator(explained, participant?.id ?? 0, true);
  await participants.writeLeave(explained, participant?.id ?? 0, "left");
  await participants.writeLeaveAll(explained, id, "conference-closed");

  await guests.addListedUsers(explained, { id, applicationId: 1 }, [7, 8], [7]);
  await guests.removeListedUsers(explained, id, [7], false);
  await guests.removeModerators(explained, id, [7]);
  await guests.findListedUsers(explained, id);
  await guests.findListing(explained, id, 7);
  await guests.findListings(explained, [{ conferenceId: id, userId: 7 }]);
  const secretHash = hashToken("secret");
  const expiresAt = new Date(Date.now() + 60_000);
  const link = { conferenceId: id, secretHash, expiresAt, maxUses: 5, createdBy: 7 };
  await guests.lockListing(explained, id, 7);
  const inserted = await guests.insertLink(explained, link, 50);
  await guests.findLinks(explained, id);
  await guests.findLink(explained, inserted?.id ?? 0);
  const tokenHash = hashToken("token");
  const guest = { secretHash, name: "g", tokenHash, now: new Date(), until: expiresAt };
  await guests.findLinkApplication(explained, guest.secretHash);
  const admitted = await guests.redeemLink(explained, guest);
  await guests.findGuest(explained, tokenHash, new Date());
  expect(await linkRights.findLiveGuests(explained, [admitted?.id ?? 0, 7], new Date())).toEqual(
    new Set([admitted?.id]),
  );
  expect(await linkRights.deleteGuests(explained, id, [admitted?.id ?? 0, 7])).toBe(true);
  expect(await linkRights.deleteUnmoderatedLinks(explained, id)).toBe(false);
  expect(await linkRights.deleteLinksOfUsers(query, [8, 9])).toHaveLength(2);
  expect(await linkRights.deleteLinksOfMember(query, 1)).not.toEqual([]);
  await purgeRows(explained, linkRights.EXPIRED_GUESTS, new Date(0));
  await guests.deleteLink(explained, inserted?.id ?? 0);

  await writeEmptyAfterSeconds(explained, id, 60);
  await hosts.releaseConference(explained, { ...ref, generation });
  await hosts.closeConferenceRow(explained, id);
  await hosts.deleteNode(explained, "here");
  await deleteClosedConferences(explained, new Date(0), 10);

  expect([...plans.keys()].sort()).toEqual(statementNames().sort());
  const scans = [...plans].filter(([, plan]) => SCAN.test(plan));
  expect(scans).toEqual([]);
  for (const [name, index] of [
    ["application_conferences", "conferences_open_id_idx"],
    ["application_conferences_by_name", "conferences_open_lower_name_idx"],
    ["application_conferences_by_name", "conferences_closed_lower_name_idx"],
    ["live_conferences", "conferences_live_idx"],
    ["abandoned_conferences", "conferences_live_idx"],
    ["abandoned_conferences", "conferences_empty_idx"],
    ["abandoned_conferences", "conferences_closes_at_idx"],
  ]) {
    expect([name, plans.get(name ?? "")]).toEqual([name, expect.stringContaining(index ?? "")]);
  }
});

it.each([
  { first: 10 },
  { last: 10 },
])("a search by name reads only conferences that it finds: %j", async (page) => {
  const pages: number[] = [];
  const measured = {
    async query(statement: Statement, values: unknown[]) {
      const [root] = await explainAnalyze(store, statement.text, values);
      pages.push(root?.pages ?? Number.POSITIVE_INFINITY);
      return store.query(statement, values);
    },
  } as unknown as Store;
  for (const name of ["room1", "room5", "room9"]) {
    const { nodes } = await listConferencesOfApplication({ store: measured }, 1, { name, ...page });
    expect(nodes.map((each) => each.name.startsWith(name))).toEqual(Array(10).fill(true));
  }
  // Ten rows of two parts, each with its way down the index; all names before or after them take hundreds.
  expect(pages.filter((count) => count > 100)).toEqual([]);
});
