import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../scripts/services/binaries";
import { readConfig } from "../../../src/core/config";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId } from "../../support/calls/calls";
import { sendInput } from "../../support/calls/send-input";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { guestToken } from "../../support/conferences/stored-conference";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, newUser } from "../../support/rest-client";
import {
  type Participants,
  PERMISSION_ROWS,
  type PermissionRow,
} from "../../support/security/permission-rows";
import { addInvitations, addResetLinks, openWorld, type World } from "../../support/security/world";
import { newApiKey } from "../../support/sessions/api-keys";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Which operation makes rows of which table, and what bounds them: "What makes rows" of docs/LIMITS.md. */

const ROOT = join(__dirname, "../../..");
const quoted = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? "");

/** The rows of the document: tables, operations, and the names in capitals of what bounds them. */
const ENTRIES = readFileSync(join(ROOT, "docs/LIMITS.md"), "utf8")
  .split("## What makes rows")[1]
  ?.split("\n## ")[0]
  ?.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => {
    const [, tables = "", operations = "", bounds = ""] = line.split("|");
    return {
      tables: quoted(tables),
      operations: quoted(operations),
      isOfService: operations.trim() === "the service",
      bounds: bounds.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [],
    };
  }) as Array<{ tables: string[]; operations: string[]; isOfService: boolean; bounds: string[] }>;
const OF_SERVICE = new Set(ENTRIES.flatMap((each) => (each.isOfService ? each.tables : [])));

let node: TestNode;
let world: World;

beforeAll(async () => {
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  node = await startNode({}, { openEngine });
  world = await openWorld(node, await secondApplication(node), await newUser(node));
  await addResetLinks(node);
  await addInvitations(node);
});
afterAll(() => node.stop());

async function tableNames(): Promise<string[]> {
  const rows = await node.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations'
      ORDER BY table_name`,
  );
  return rows.map(({ name }) => name);
}

/** The number of rows of each table that requests write. */
async function countRows(tables: string[]): Promise<Map<string, number>> {
  const counts = tables
    .filter((table) => !OF_SERVICE.has(table))
    .map((table) => `SELECT '${table}' AS name, count(*)::int AS rows FROM "${table}"`);
  const rows = await node.sql<{ name: string; rows: number }>(counts.join(" UNION ALL "));
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

/**
 * A caller for whom the operation succeeds; user A if there is none: what binds a web session or changes a peer makes no
 * rows.
 */
async function callerOf(row: PermissionRow, { a, conference }: Participants) {
  if (row.self === "OK") return { token: a.token, succeeds: true };
  // Only an API key, whose mutations are in the audit log like those of members.
  if (row.otherKey !== undefined) {
    return { token: await newApiKey(node, ["sessions"]), succeeds: true, isOwner: true };
  }
  if (row.account === "OK") return { token: await ownerToken(node), succeeds: true, isOwner: true };
  if (row.application === "OK") return { token: await applicationToken(node), succeeds: true };
  if (row.linkGuest === "OK") {
    return { token: await guestToken(node, conference), succeeds: true };
  }
  return { token: a.token, succeeds: false };
}

/** Variables with which an operation makes rows, where those of the permission rows change what exists. */
const VARIABLES: Record<string, (fixture: Participants) => Promise<object> | object> = {
  sendSignal: ({ b }) =>
    sendInput({
      to: { userId: b.id },
      signalType: "call",
      callId: newSessionId(),
      callType: "VIDEO",
      sdp: "v=0",
    }),
  createUser: () => ({ tags: ["blue"] }),
  updateUser: () => ({ tags: ["blue"] }),
  createPushEvent: () => ({ eventType: "ONE_SHOT", date: null }),
  async createPushSubscription({ subscriptionId }) {
    await node.sql("DELETE FROM push_subscriptions WHERE id = $1", [subscriptionId]);
    return {};
  },
  async requestPasswordReset({ a }) {
    const email = `${a.login}@example.com`;
    await node.sql("UPDATE users SET email = $2, email_key = $2 WHERE id = $1", [a.id, email]);
    return { email };
  },
  createConference: ({ b }) => ({ access: "LISTED", userIds: [String(b.id)] }),
  updateConference: ({ b }) => ({ userIds: [String(b.id)] }),
  async joinConference({ conference }) {
    await node.sql("DELETE FROM conference_members WHERE conference_id = $1", [
      Number(conference.id),
    ]);
    return {};
  },
};

test("the document has every table, and names bounds that exist", async () => {
  expect(ENTRIES.flatMap(({ tables }) => tables).sort()).toEqual(await tableNames());
  const variables = Object.keys(readConfig({}));
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(ROOT, "src", path), "utf8"))
    .join("\n");
  const bounds = ENTRIES.flatMap((each) => each.bounds);
  expect(bounds.length).toBeGreaterThan(20);
  const unknown = bounds.filter(
    (bound) => !variables.includes(bound) && !sources.includes(`const ${bound} = `),
  );
  expect(unknown).toEqual([]);
});

const mutations = Object.keys(PERMISSION_ROWS).flatMap((name) =>
  name.startsWith("Mutation.") && !PERMISSION_ROWS[name]?.socketOnly
    ? [name.slice("Mutation.".length)]
    : [],
);

test.each(mutations)("%s makes the rows that the document names", async (operation) => {
  const row = PERMISSION_ROWS[`Mutation.${operation}`] as PermissionRow;
  const fixture = await world.participants({ owner: ownerCredentials(node) });
  world.count += 1;
  const { token, succeeds, isOwner } = await callerOf(row, fixture);
  const made = await VARIABLES[operation]?.(fixture);
  const given = row.variables(fixture) as { input?: object };
  const variables = made ? { input: { ...given.input, ...made } } : given;
  const isAudited = isOwner || ["signInMember", "acceptInvitation"].includes(operation);
  const expected = ENTRIES.flatMap(({ tables, operations }) =>
    operations.includes(operation) ? tables : [],
  );
  if (isAudited) expected.push("audit_entries");
  const tables = await tableNames();
  const before = await countRows(tables);
  const { errors } = await graphql(node, row.document, variables, token);
  if (succeeds) expect(errors).toBeUndefined();
  // Some are written by a job, or by the recorder of calls.
  await eventually(async () => {
    const after = await countRows(tables);
    const grown = [...after].filter(([name, count]) => count > (before.get(name) ?? 0));
    expect(grown.map(([name]) => name).sort()).toEqual(expected.sort());
  });
});
