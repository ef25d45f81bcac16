import { openLog } from "../../../src/core/log";
import { type AllowedCallers, allows, roleAllows } from "../../../src/core/viewer";
import {
  VIEWER_SUBSCRIPTIONS_MAX,
  ViewerSubscriptions,
} from "../../../src/domain/access/viewer-subscriptions";
import type { Statement } from "../../../src/platform/store/store";
import { accessTable, signalboxSchema } from "../../../src/transports/graphql/schema";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { SAMPLED, someOf } from "../../support/exhaustive";
import { everythingOf } from "../../support/graphql/deep-selection";
import {
  type SubscribedEvent,
  type SubscribedWorld,
  subscribedWorld,
  type Viewers,
} from "../../support/graphql/subscribed-events";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { RecordingProviders } from "../../support/push/recording-provider";

/** Every field of Subscription, for every kind of viewer: how many may be open, and what many cost for one event. */

const schema = signalboxSchema();
const FIELDS = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
const ACCESS = accessTable(schema);
const CLIENTS: Array<keyof Viewers> = ["user", "guest", "guest by link", "web session"];
const MEMBERS: Array<keyof Viewers> = ["support", "developer", "owner"];
const KINDS = [...CLIENTS, ...MEMBERS];
/** Those that open as many again after the ends: one of each form of token. */
const twice: Array<keyof Viewers> = ["user", "guest by link", "web session", "support"];
/** Operations of one socket, below its limit. */
const OF_SOCKET = 90;

let node: TestNode;
let world: SubscribedWorld;
let subscriptions: ViewerSubscriptions;
const sockets: GraphqlSocket[] = [];
/** Lines of the log above info. */
const warnings: string[] = [];
/** How often each statement has run. */
const statements = new Map<string, number>();

beforeAll(async () => {
  const opened = jest.spyOn(ViewerSubscriptions.prototype, "open");
  const log = openLog("warn", { write: (line) => void warnings.push(line) });
  const providers = new RecordingProviders();
  const selected = { GRAPHQL_MAX_COST: "10000000", GRAPHQL_MAX_TOKENS: "100000" };
  node = await startNode(
    { ...selected, GRAPHQL_MAX_ALIASES: "1000", LOG_LEVEL: "warn" },
    {
      log,
      jobsPollMs: 100,
      pushProvider: providers.open,
      openEngine: async (listener) => new MemoryEngine(listener),
    },
  );
  world = await subscribedWorld(node, providers);
  const socket = await open("user");
  subscribe(socket, "first", "callChanges", "", "{ id }");
  await eventually(
    () => opened.mock.contexts[0],
    (found) => found !== undefined,
  );
  subscriptions = opened.mock.contexts[0] as ViewerSubscriptions;
  opened.mockRestore();
  await endAll();
  const { store } = node.app;
  const query = store.query.bind(store);
  store.query = (statement: Statement, values) => {
    statements.set(statement.name, (statements.get(statement.name) ?? 0) + 1);
    return query(statement, values);
  };
});
afterEach(async () => {
  // A node sends a few pushes at a time: one that is held keeps the next from being sent.
  world?.release();
  await endAll();
});
afterAll(() => node?.stop());

async function open(viewer: keyof Viewers): Promise<GraphqlSocket> {
  const socket = await openSocket(node, world.viewers[viewer]);
  sockets.push(socket);
  return socket;
}

function subscribe(socket: GraphqlSocket, id: string, field: string, args: string, what: string) {
  const list = args === "" ? "" : `(${args})`;
  socket.send({
    id,
    type: "subscribe",
    payload: { query: `subscription { ${field}${list} ${what} }` },
  });
}

async function endAll(): Promise<void> {
  await Promise.all(sockets.splice(0).map((socket) => socket.close()));
  await eventually(
    () => subscriptions?.total ?? 0,
    (total) => total === 0,
  );
}

function mayOpen(viewer: keyof Viewers, allowed: AllowedCallers | undefined): boolean {
  const { client = null, member = null } = allowed ?? {};
  if (viewer === "support" || viewer === "developer" || viewer === "owner") {
    return member !== null && roleAllows(member, viewer);
  }
  if (viewer === "guest by link") return client === "conference";
  // A session with a user waits for no binding.
  if (client === "session") return viewer === "web session";
  return client !== null && viewer !== "web session" && allows(client, viewer);
}

const fieldsOf = (viewer: keyof Viewers) =>
  FIELDS.filter((field) => mayOpen(viewer, ACCESS.get(`Subscription.${field}`)));

const codesOf = (all: GraphqlSocket[]) =>
  all.flatMap(({ received }) =>
    received.flatMap(({ id, payload }) =>
      (payload?.errors ?? []).map(
        (error: { extensions: { code: string } }) => `${id} ${error.extensions.code}`,
      ),
    ),
  );

it("has events for every field, and every viewer has a field", () => {
  expect(Object.keys(world.fields).sort()).toEqual([...FIELDS].sort());
  expect(new Set(KINDS.flatMap(fieldsOf))).toEqual(new Set(FIELDS));
  expect(KINDS.filter((kind) => fieldsOf(kind).length === 0)).toEqual([]);
});

it.each(
  someOf(KINDS, 3),
)(`a viewer has 256 subscriptions over all connections and fields, and again after their ends: %s${SAMPLED}`, async (viewer) => {
  const fields = fieldsOf(viewer);
  const events = new Map<string, SubscribedEvent>();
  for (const field of fields) {
    const prepare = world.fields[field];
    if (prepare) events.set(field, await prepare(viewer));
  }
  const begin = (socket: GraphqlSocket, id: string, field = "") =>
    subscribe(socket, id, field, events.get(field)?.args ?? "", "{ __typename }");
  for (const ending of twice.includes(viewer) ? (["complete", "close"] as const) : ["close"]) {
    const mine: GraphqlSocket[] = [];
    for (let n = 0; n < VIEWER_SUBSCRIPTIONS_MAX; n += 1) {
      if (n % OF_SOCKET === 0) mine.push(await open(viewer));
      const socket = mine.at(-1) as GraphqlSocket;
      begin(socket, String(n), fields[n % fields.length]);
    }
    await eventually(
      () => subscriptions.total,
      (total) => total === VIEWER_SUBSCRIPTIONS_MAX,
    );
    // One socket has room for further operations.
    const last = mine.at(-1) as GraphqlSocket;
    for (const field of fields) begin(last, `further ${field}`, field);
    const refused = fields.map((field) => `further ${field} LIMITED`);
    await eventually(
      () => codesOf(mine),
      (codes) => codes.length >= refused.length,
    );
    expect(codesOf(mine).sort()).toEqual(refused.sort());
    expect(subscriptions.total).toBe(VIEWER_SUBSCRIPTIONS_MAX);
    if (ending === "close") continue;
    last.send({ id: String(VIEWER_SUBSCRIPTIONS_MAX - 1), type: "complete" });
    await eventually(
      () => subscriptions.total,
      (total) => total === VIEWER_SUBSCRIPTIONS_MAX - 1,
    );
    begin(last, "in its place", fields[0]);
    await eventually(
      () => subscriptions.total,
      (total) => total === VIEWER_SUBSCRIPTIONS_MAX,
    );
    expect(codesOf(mine)).toHaveLength(refused.length);
    await endAll();
  }
});

/** Opens subscriptions with everything selected, causes an event, and counts the statements until all have it. */
async function statementsFor(field: string, viewer: keyof Viewers, count: number) {
  const prepare = world.fields[field];
  if (!prepare) throw new Error(`no events for ${field}`);
  const event = await prepare(viewer);
  const socket = await open(viewer);
  const what = everythingOf(schema, field);
  for (let n = 0; n < count; n += 1) subscribe(socket, String(n), field, event.args, what);
  const messages = () => socket.received.filter(({ type, id }) => type === "next" && id);
  const have = (text: string, from: number) => {
    const found = messages().slice(from);
    const ids = found.flatMap(({ id, payload }) =>
      text === "" || JSON.stringify(payload).includes(text) ? [id] : [],
    );
    return new Set(ids).size === count;
  };
  const settle = async () => {
    if (event.isPresent) {
      await eventually(
        () => have("", 0),
        (all) => all,
      );
    } else if (field !== "sessionBound") {
      // The protocol does not confirm subscriptions.
      for (let turn = 0, all = false; !all; turn += 1) {
        const text = await event.cause();
        for (let n = 0; n < 40 && !all; n += 1) {
          await new Promise((resolve) => setTimeout(resolve, 25));
          all = have(text, 0);
        }
        if (turn === 100) throw new Error(`no event of ${field} arrives`);
      }
    }
  };
  await settle();
  statements.clear();
  const from = messages().length;
  const text = await event.cause();
  await eventually(
    () => have(text, from),
    (all) => all,
  );
  const counted = new Map(statements);
  expect(codesOf([socket])).toEqual([]);
  return counted;
}

/** Each field for the first kind of clients and the first kind of members who may open it. */
const OPENERS = FIELDS.flatMap((field) =>
  [CLIENTS, MEMBERS].flatMap((kinds) =>
    kinds
      .filter((kind) => fieldsOf(kind).includes(field))
      .slice(0, 1)
      .map((kind) => [field, kind] as const),
  ),
);

it.each(
  someOf(OPENERS, 6),
)(`an event costs the same for one subscription as for forty: %s of %s${SAMPLED}`, async (field, viewer) => {
  const one = await statementsFor(field, viewer, 1);
  await endAll();
  const many = await statementsFor(field, viewer, 40);
  // What runs in the background, and what an earlier event still causes, is a fraction of one for each subscription.
  const grown = [...many].filter(([name, count]) => count > (one.get(name) ?? 0) + 10);
  expect(grown).toEqual([]);
});

it("nothing of this writes to the log above info", () => expect(warnings).toEqual([]));
