import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { GraphQLError, GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from "graphql";
import type { WebSocket } from "ws";
import { openLog } from "../../src/core/log";
import type { OperationResult } from "../../src/transports/graphql/engine/engine";
import { mapAsyncIterator } from "../../src/transports/graphql/engine/map-async-iterator";
import {
  handOver,
  OPERATION_ID_MAX,
  type SocketOperation,
  type SocketOperations,
} from "../../src/transports/graphql/socket/socket-operations";
import { serveGraphqlSocket } from "../../src/transports/graphql/socket/socket-protocol";
import { seededRandom } from "../../tools/seeded-random";

/**
 * The operations of a socket whose client uses ids again: at each moment of an operation, and in random sequences.
 * Whatever the client sends, each operation is counted until it has ended, ends once, and reaches only its own client.
 */

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: "Query", fields: { value: { type: GraphQLString } } }),
  subscription: new GraphQLObjectType({
    name: "Subscription",
    fields: { value: { type: GraphQLString } },
  }),
});
const documents = {
  subscription: parse("subscription { value }"),
  query: parse("{ value }"),
};
type Kind = keyof typeof documents;

/** A promise with the function that settles it. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The server's side of one operation, which a test drives. */
class Served {
  private readonly opening = deferred<void>();
  private readonly closing = deferred<void>();
  private readonly waiting: Array<(step: IteratorResult<string>) => void> = [];
  private values = 0;
  private done = false;
  /** Whether the source of a subscription is open. */
  live = false;
  /** How often the source was closed. */
  closed = 0;

  constructor(
    readonly kind: Kind,
    /** The value of every result. */
    readonly name: string,
    private readonly operation: SocketOperation,
  ) {}

  async run(): Promise<OperationResult> {
    await this.opening.promise;
    if (this.kind === "query") return { data: { value: this.name } };
    this.live = !this.done;
    const source: AsyncIterator<string> = {
      next: () => {
        if (this.values === 0 && !this.done) {
          return new Promise((resolve) => this.waiting.push(resolve));
        }
        return Promise.resolve(this.step());
      },
      return: async () => {
        this.closed += 1;
        await this.closing.promise;
        this.finish();
        return { value: undefined, done: true };
      },
    };
    const results = mapAsyncIterator(source, (value) => ({ data: { value } }), toError);
    return handOver(this.operation, results);
  }

  /** Opens the source, or answers the query. */
  open(): void {
    this.opening.resolve();
  }

  emit(): void {
    if (!this.live) return;
    this.values += 1;
    this.flush();
  }

  /** The source ends by itself. */
  finish(): void {
    this.done = true;
    this.live = false;
    this.flush();
  }

  /** Lets the source close; until then it takes time. */
  letClose(): void {
    this.closing.resolve();
  }

  private flush(): void {
    while (this.waiting.length > 0 && (this.values > 0 || this.done)) {
      this.waiting.shift()?.(this.step());
    }
  }

  private step(): IteratorResult<string> {
    if (this.values === 0) return { value: undefined, done: true };
    this.values -= 1;
    return { value: this.name, done: false };
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

interface Sent {
  id?: string;
  type: string;
  payload?: { data?: { value: string } };
}

const connected: Array<() => void> = [];
afterEach(() => {
  for (const close of connected.splice(0)) close();
});

/** A client of a socket whose operations the test drives. */
async function connect() {
  const sent: Sent[] = [];
  const served: Served[] = [];
  let operations: SocketOperations | undefined;
  let closedWith: { code: number; reason: string } | undefined;
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    protocol: "graphql-transport-ws",
    close(code: number, reason = "") {
      if (Buffer.byteLength(reason) > 123) throw new RangeError("the reason is too long");
      if (closedWith) return;
      closedWith = { code, reason };
      socket.readyState = 3;
      socket.emit("close", code, Buffer.from(reason));
    },
  });
  const serve = serveGraphqlSocket(
    {
      onSubscribe: ({ extra }, id, { query }) => {
        if (!(query in documents)) return [new GraphQLError("refused")];
        const kind = query as Kind;
        const contextValue = new Served(kind, String(served.length), extra.operations.get(id));
        served.push(contextValue);
        return { schema, document: documents[kind], contextValue };
      },
      onConnect: ({ extra }) => {
        ({ operations } = extra);
      },
      execute: ({ contextValue }) => (contextValue as Served).run() as never,
      subscribe: ({ contextValue }) => (contextValue as Served).run() as never,
    },
    {
      log: openLog("silent"),
      keepAliveMs: 1_000_000,
      overLimitCode: 1013,
      createMessageLimiter: () => () => null,
    },
  );
  /** The types of the messages that reach the system with one write. */
  const writes: string[][] = [];
  let corks = 0;
  let gathered: string[] = [];
  const flush = () => {
    if (corks > 0 || gathered.length === 0) return;
    writes.push(gathered);
    gathered = [];
  };
  const connection = {
    cork: () => {
      corks += 1;
    },
    uncork: () => {
      corks -= 1;
      flush();
    },
    write(frame: string | Buffer, ...rest: unknown[]) {
      const bytes = Buffer.from(frame as string, "latin1");
      // A frame has its length in the second byte, or in more (test/unit/text-frame.test.ts).
      const header = { 126: 4, 127: 10 }[bytes[1] ?? 0] ?? 2;
      const message = JSON.parse(bytes.toString("utf8", header)) as Sent;
      sent.push(message);
      gathered.push(message.type);
      flush();
      const done = rest.at(-1) as (() => void) | undefined;
      done?.();
    },
  };
  serve(socket as unknown as WebSocket, { socket: connection } as unknown as IncomingMessage);
  const send = (message: unknown) => socket.emit("message", Buffer.from(JSON.stringify(message)));
  connected.push(() => socket.close(1000));
  send({ type: "connection_init" });
  await settle();
  sent.splice(0);
  writes.splice(0);
  return {
    sent,
    writes,
    served,
    running: () => operations?.size,
    closedWith: () => closedWith,
    subscribe: (id: string, query = "subscription") =>
      send({ id, type: "subscribe", payload: { query } }),
    complete: (id: string) => send({ id, type: "complete" }),
    close: () => socket.close(1000),
  };
}
type Client = Awaited<ReturnType<typeof connect>>;

const valuesOf = ({ sent }: Client) =>
  sent.flatMap(({ id, payload }) => (payload?.data ? [`${id}=${payload.data.value}`] : []));

/** The moments of an operation at which its client completes it, and what leads there. */
const MOMENTS: Array<[moment: string, kind: Kind, reach: (first: Served) => unknown]> = [
  ["a query that has not begun", "query", () => undefined],
  ["a query that is about to be answered", "query", (first) => first.open()],
  ["a subscription that has not begun", "subscription", () => undefined],
  ["a subscription that is about to open", "subscription", (first) => first.open()],
  [
    "an open subscription",
    "subscription",
    (first) => {
      first.open();
      return settle();
    },
  ],
  [
    "a subscription with a result on its way",
    "subscription",
    async (first) => {
      first.open();
      await settle();
      first.emit();
    },
  ],
  [
    "a subscription that is about to end",
    "subscription",
    async (first) => {
      first.open();
      await settle();
      first.finish();
    },
  ],
];

describe.each(MOMENTS)("an id that is used again: %s", (_moment, kind, reach) => {
  const first = (client: Client) => client.served[0] as Served;
  const second = (client: Client) => client.served[1] as Served;

  test("names the second operation alone, and the first is counted until it has ended", async () => {
    const client = await connect();
    client.subscribe("a", kind);
    await reach(first(client));
    client.complete("a");
    client.subscribe("a");
    expect(client.running()).toBe(2);
    second(client).open();
    first(client).open();
    await settle();
    first(client).emit();
    second(client).emit();
    await settle();
    expect(valuesOf(client)).toEqual(["a=1"]);
    expect(client.running()).toBe(first(client).closed > 0 ? 2 : 1);
    first(client).letClose();
    await settle();
    expect([client.running(), first(client).live]).toEqual([1, false]);
    second(client).emit();
    await settle();
    expect(valuesOf(client)).toEqual(["a=1", "a=1"]);
    client.complete("a");
    second(client).letClose();
    await settle();
    expect([client.running(), second(client).live]).toEqual([0, false]);
    expect(client.sent.filter(({ type }) => type !== "next")).toEqual([]);
    expect(client.closedWith()).toBeUndefined();
  });

  test("closes the socket with 4409 unless the first is complete, and ends both", async () => {
    const client = await connect();
    client.subscribe("a", kind);
    await reach(first(client));
    client.subscribe("a");
    expect(client.closedWith()).toEqual({
      code: 4409,
      reason: "Subscriber for a already exists",
    });
    first(client).open();
    first(client).letClose();
    await settle();
    expect([client.running(), first(client).live, client.served.length]).toEqual([0, false, 1]);
  });

  test("ends with the socket, together with its predecessor", async () => {
    const client = await connect();
    client.subscribe("a", kind);
    await reach(first(client));
    client.complete("a");
    client.subscribe("a");
    client.close();
    for (const operation of client.served) {
      operation.open();
      operation.letClose();
    }
    await settle();
    await settle();
    expect([client.running(), ...client.served.map(({ live }) => live)]).toEqual([0, false, false]);
    expect(client.served.every(({ closed }) => closed <= 1)).toBe(true);
  });
});

test("a thousand pairs of subscribe and complete in one tick count as a thousand until they end", async () => {
  const client = await connect();
  for (let pair = 0; pair < 1_000; pair += 1) {
    client.subscribe("a");
    client.complete("a");
  }
  client.subscribe("a");
  expect(client.running()).toBe(1_001);
  for (const operation of client.served) {
    operation.open();
    operation.letClose();
  }
  await settle();
  await settle();
  for (const operation of client.served) operation.emit();
  await settle();
  expect(client.running()).toBe(1);
  expect(client.served.filter(({ live }) => live)).toHaveLength(1);
  expect(valuesOf(client)).toEqual(["a=1000"]);
  client.close();
});

test("an id is free as soon as the client is told that its operation is complete or refused", async () => {
  const client = await connect();
  client.subscribe("a", "refused");
  await settle();
  client.subscribe("a", "query");
  client.served[0]?.open();
  await settle();
  client.subscribe("a", "query");
  client.served[1]?.open();
  await settle();
  expect(client.sent.map(({ id, type }) => `${id} ${type}`)).toEqual([
    "a error",
    "a next",
    "a complete",
    "a next",
    "a complete",
  ]);
  expect(client.running()).toBe(0);
});

test("a single result and its completion are one write, and each result of a subscription is one", async () => {
  const client = await connect();
  client.subscribe("a", "query");
  client.served[0]?.open();
  await settle();
  client.subscribe("b", "subscription");
  const subscription = client.served[1] as Served;
  subscription.open();
  await settle();
  for (let n = 0; n < 2; n += 1) {
    subscription.emit();
    await settle();
  }
  subscription.finish();
  await settle();
  expect(client.writes).toEqual([["next", "complete"], ["next"], ["next"], ["complete"]]);
});

test("an id may hold anything, up to a length that results can repeat", async () => {
  const client = await connect();
  const longest = "ü".repeat(OPERATION_ID_MAX);
  const ids = ["__proto__", '"', "\\", "\u2028", "1", "\ud800", longest];
  for (const [at, id] of ids.entries()) {
    client.subscribe(id, "query");
    client.served[at]?.open();
    await settle();
  }
  expect(client.sent.flatMap(({ id, type }) => (type === "next" ? [id] : []))).toEqual(ids);
  client.subscribe(longest);
  client.subscribe(longest);
  expect(client.closedWith()).toEqual({ code: 4409, reason: "Subscriber already exists" });
  const other = await connect();
  other.subscribe(`${longest}a`);
  expect(other.closedWith()?.code).toBe(4400);
  expect(other.served).toEqual([]);
});

test("300 random sequences: every operation is counted until it ends, and ends once", async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    try {
      await runSequence(seed);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

async function runSequence(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const client = await connect();
  /** By the client's id: the operation that it has not completed. */
  const named = new Map<string, Served>();
  for (let step = 0; step < 40; step += 1) {
    const id = String(random(3));
    const operation = client.served[random(client.served.length || 1)];
    const kind = random(9);
    if (kind < 3 && !named.has(id)) {
      client.subscribe(id, random(3) === 0 ? "query" : "subscription");
      named.set(id, client.served.at(-1) as Served);
    } else if (kind < 5) {
      client.complete(id);
      named.delete(id);
    } else if (kind < 6) operation?.open();
    else if (kind < 7) operation?.letClose();
    else if (kind < 8) operation?.emit();
    else operation?.finish();
    const before = client.sent.length;
    if (random(2) === 0) await settle();
    for (const { id: to, type, payload } of client.sent.slice(before)) {
      if (payload?.data) expect(payload.data.value).toBe(named.get(String(to))?.name);
      if (type === "complete") named.delete(String(to));
    }
    const live = client.served.filter((each) => each.live).length;
    expect(client.running()).toBeGreaterThanOrEqual(live);
  }
  expect(client.closedWith()).toBeUndefined();
  for (const id of named.keys()) client.complete(id);
  for (const each of client.served) {
    each.open();
    each.letClose();
  }
  await settle();
  await settle();
  expect([client.running(), client.served.filter(({ live }) => live)]).toEqual([0, []]);
  expect(client.served.every(({ closed }) => closed <= 1)).toBe(true);
  client.close();
}
