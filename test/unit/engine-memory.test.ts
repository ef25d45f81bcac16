import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import type { Context } from "../../src/graphql/context";
import { Engine } from "../../src/graphql/engine";
import { buildSignalboxSchema } from "../../src/graphql/schema";
import { usedHeap } from "../support/heap";
import { MovingClock } from "../support/moving-clock";

/** The cache of prepared operations, filled with whatever keeps the most for what it is counted as. */

const schema = buildSignalboxSchema();
/** What all prepared operations may keep together; docs/ARCHITECTURE.md says so. */
const BOUND = 64 * 1024 * 1024;

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(" ");
const ofType = (levels: number): string =>
  levels === 0 ? "name" : `ofType { name kind ${ofType(levels - 1)} }`;
const users = "id login fullName email phone customData tags createdAt updatedAt lastRequestAt";

/** Documents of a kind, each different from the others by its number. */
const WORST: Record<string, (number: number) => string> = {
  "aliases of __type": (n) =>
    `{ ${times(28, (i) => `a${i}_${n}: __type(name: "User") { ...f }`)} }
     fragment f on __Type { name kind fields { name args { name type { ${ofType(2)} } } type { ${ofType(2)} } } }`,
  "many fields": (n) =>
    `{ ${times(20, (i) => `a${i}_${n}: currentSession { id user { id login fullName email } }`)} }`,
  "many types of signals": (n) =>
    `subscription { a${n}: callSignals { ...f ...f } }
     fragment f on Signal { id signalType from { userId device } to { userId } cursor extra { name text children { name } } }`,
  "an alias of thousands of characters": (n) =>
    `{ ${"a".repeat(20_000)}${n}: currentSession { id user { ${users.split(" ", 5).join(" ")} } } }`,
  "conditions upon conditions": (n) =>
    `query ($${"v".repeat(1_000)}${n}: Boolean!) { currentSession {
       ${`... @include(if: $${"v".repeat(1_000)}${n}) { `.repeat(20)} user { id login fullName } ${"}".repeat(20)} } }`,
  "variables of many inputs": (n) =>
    `query (${times(28, (i) => `$v${i}_${n}: UserFilter!`)})
     { ${times(28, (i) => `a${i}: users(filter: $v${i}_${n}) { totalCount }`)} }`,
  "a variable of lists of lists": (n) =>
    `mutation ($v${n}: ${"[".repeat(30)}Int${"]".repeat(30)})
     { sendSignal(input: { to: { userId: 1 }, signalType: "x", userInfo: { a: $v${n} } }) { id } }`,
  "tokens that are compiled into nothing": (n) =>
    `{ currentSession { id ${`id `.repeat(40)} } ... on Query { b${n}: __typename } }
     ${times(120, (i) => `query q${i} { currentSession { a${i}: id user { id login } } }`)}`.replace(
      "{",
      `query main {`,
    ),
  comments: (n) => `${"#\n".repeat(40_000)} { a${n}: __typename }`,
  "a long text": (n) => `{ a${n}: call(sessionId: "${"\u0416".repeat(100_000)}") { id } }`,
  "the smallest": (n) => `{a${n}:__typename}`,
};

function newEngine() {
  const clock = new MovingClock();
  const config = readConfig({ GRAPHQL_CACHE: "100000" });
  return { clock, engine: new Engine(schema, config, openLog("silent"), openMetrics(), clock) };
}

/** Nobody: what asks for a session is refused. */
const NOBODY = {
  caller: { requestId: "test" },
  visit: { require: () => Promise.reject(new Error("nobody")) },
  identity: {
    limits: { address: () => undefined, application: () => undefined, work: () => null },
  },
} as unknown as Context;

/** Prepares and runs documents of a kind until they are counted for so many bytes; returns what they are. */
async function fill(make: (number: number) => string, bytes: number, most: number) {
  const { clock, engine } = newEngine();
  const name = make(0).includes("query main") ? "main" : undefined;
  const use = async (number: number) => {
    const prepared = engine.prepare(make(number), name);
    // What reads the schema is never compiled, however often it comes.
    const turns = prepared.size.introspection ? 1 : 4;
    for (let turn = 0; turn < turns; turn += 1) {
      // A subscription is answered as with an event that nobody sent.
      await engine.run(prepared, NOBODY, {}, "graphql");
    }
    // As much may be compiled as anybody could wait for.
    clock.advance(60_000);
    return prepared.bytes;
  };
  await use(0);
  const before = usedHeap();
  let counted = 0;
  for (let number = 1; counted < bytes && number <= most; number += 1) counted += await use(number);
  const kept = usedHeap() - before;
  // The engine lives until here.
  expect(engine.schema).toBe(schema);
  return { counted, kept };
}

describe("prepared operations keep no more", () => {
  test.each(Object.entries(WORST))("than they are counted for: %s", async (_what, make) => {
    const { counted, kept } = await fill(make, BOUND / 2, 40);
    expect(kept).toBeLessThan(counted);
  });

  test.each([
    "many types of signals",
    "conditions upon conditions",
    "comments",
  ])("than the cache may hold: %s", async (what) => {
    const { counted, kept } = await fill(WORST[what] as (number: number) => string, 2 * BOUND, 200);
    expect(counted).toBeGreaterThan(2 * BOUND);
    expect(kept).toBeLessThan(BOUND);
  });
});
