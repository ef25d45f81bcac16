import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import type { Context } from "../../../src/transports/graphql/engine/context";
import { Engine } from "../../../src/transports/graphql/engine/engine";
import { buildSignalboxSchema } from "../../../src/transports/graphql/schema";
import { MovingClock } from "../../support/moving-clock";
import { usedHeap } from "../../support/operations/heap";

/** Fills the cache of prepared operations with those that need the most memory relative to their estimate. */

const schema = buildSignalboxSchema();
/** Memory limit of all prepared operations in bytes; see docs/DECISIONS.md. */
const BOUND = 64 * 1024 * 1024;

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(" ");
const ofType = (levels: number): string =>
  levels === 0 ? "name" : `ofType { name kind ${ofType(levels - 1)} }`;
const users = "id login fullName email phone customData tags createdAt updatedAt lastRequestAt";

/** Documents of a kind, made unique by a number. */
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
  "nested conditions": (n) =>
    `query ($${"v".repeat(1_000)}${n}: Boolean!) { currentSession {
       ${`... @include(if: $${"v".repeat(1_000)}${n}) { `.repeat(20)} user { id login fullName } ${"}".repeat(20)} } }`,
  "variables of many inputs": (n) =>
    `query (${times(28, (i) => `$v${i}_${n}: UserFilter!`)})
     { ${times(28, (i) => `a${i}: users(filter: $v${i}_${n}) { totalCount }`)} }`,
  "a variable of nested lists": (n) =>
    `mutation ($v${n}: ${"[".repeat(30)}Int${"]".repeat(30)})
     { sendSignal(input: { to: { userId: 1 }, signal: { other: { signalType: "x", userInfo: { a: $v${n} } } } }) { id } }`,
  "unused operations": (n) =>
    `{ currentSession { id ${`id `.repeat(40)} } ... on Query { b${n}: __typename } }
     ${times(120, (i) => `query q${i} { currentSession { a${i}: id user { id login } } }`)}`.replace(
      "{",
      `query main {`,
    ),
  comments: (n) => `${"#\n".repeat(40_000)} { a${n}: __typename }`,
  "a long text": (n) => `{ a${n}: call(callId: "${"\u0416".repeat(100_000)}") { id } }`,
  "the smallest": (n) => `{a${n}:__typename}`,
};

function newEngine() {
  const clock = new MovingClock();
  const config = readConfig({ GRAPHQL_CACHE: "100000" });
  return {
    clock,
    engine: new Engine(schema, config, openLog("silent"), openMetrics(), undefined, clock),
  };
}

/** An anonymous caller: operations that require a session fail. */
const NOBODY = {
  caller: { requestId: "test" },
  auth: { require: () => Promise.reject(new Error("nobody")) },
  limits: {
    countForAddress: () => undefined,
    countForApplication: () => undefined,
    countExtra: () => null,
  },
} as unknown as Context;

/** Prepares and runs documents of a kind up to a number of estimated bytes; returns the operations. */
async function fill(make: (number: number) => string, bytes: number, most: number) {
  const { clock, engine } = newEngine();
  const name = make(0).includes("query main") ? "main" : undefined;
  const use = async (number: number) => {
    const prepared = engine.prepare(make(number), name);
    // Introspection is never compiled.
    const turns = prepared.size.introspection ? 1 : 4;
    for (let turn = 0; turn < turns; turn += 1) {
      // Runs a subscription on an undefined event.
      await engine.run(prepared, NOBODY, {}, "graphql");
    }
    // Advance the clock, so that the compilation budget is never exhausted.
    clock.advance(60_000);
    return prepared.bytes;
  };
  await use(0);
  const before = usedHeap();
  let counted = 0;
  for (let number = 1; counted < bytes && number <= most; number += 1) counted += await use(number);
  const kept = usedHeap() - before;
  // Keeps the engine alive until here.
  expect(engine.schema).toBe(schema);
  return { counted, kept };
}

describe("prepared operations use no more memory", () => {
  test.each(Object.entries(WORST))("than estimated: %s", async (_what, make) => {
    const { counted, kept } = await fill(make, BOUND / 2, 40);
    expect(kept).toBeLessThan(counted);
  });

  test.each([
    "many types of signals",
    "nested conditions",
    "comments",
  ])("than the cache allows: %s", async (what) => {
    const { counted, kept } = await fill(WORST[what] as (number: number) => string, 2 * BOUND, 200);
    expect(counted).toBeGreaterThan(2 * BOUND);
    expect(kept).toBeLessThan(BOUND);
  });
});
