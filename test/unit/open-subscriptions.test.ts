import { readConfig } from "../../src/core/config";
import { Fault } from "../../src/core/errors";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import type { Context } from "../../src/transports/graphql/engine/context";
import { Engine } from "../../src/transports/graphql/engine/engine";
import type { PreparedOperation } from "../../src/transports/graphql/engine/prepared";
import { OpenSubscriptions } from "../../src/transports/graphql/engine/subscription-memory";
import { buildSignalboxSchema } from "../../src/transports/graphql/schema";

/** The memory of open subscriptions is bounded, even if the cache has evicted their operations. */

const schema = buildSignalboxSchema();
const MB = 1024 * 1024;

const newEngine = (variables = {}) =>
  new Engine(schema, readConfig(variables), openLog("silent"), openMetrics());
const engine = newEngine();
const LISTEN = "subscription ($after: String) { callSignals(after: $after) { id } }";
const prepareLong = (number: number) =>
  engine.prepare(`${LISTEN} #${number}${"x".repeat(200_000)}`);

/** Opens subscriptions until one is refused or `count` is reached; returns their release functions. */
function openAll(
  open: OpenSubscriptions,
  most: number,
  make: (index: number) => { prepared: PreparedOperation; variables?: object; ip: string },
): Array<() => void> {
  const ends: Array<() => void> = [];
  while (ends.length < most) {
    const { prepared, variables = {}, ip } = make(ends.length);
    try {
      ends.push(open.open(prepared, variables, ip));
    } catch (error) {
      expect(error).toBeInstanceOf(Fault);
      expect(error).toMatchObject({ code: "LIMITED", retryAfter: 1 });
      return ends;
    }
  }
  return ends;
}

test("limits long documents per network, without affecting other networks", () => {
  const open = new OpenSubscriptions();
  const long = (ip: string) => (index: number) => ({ prepared: prepareLong(index), ip });
  const ends = openAll(open, 100, long("192.0.2.1"));
  // Each operation uses about 0.8 MB, and its message 0.4 MB.
  expect(ends.length).toBeGreaterThan(3);
  expect(ends.length).toBeLessThan(20);
  expect(openAll(open, 1, long("192.0.2.2"))).toHaveLength(1);
  for (const end of ends) {
    end();
    end();
  }
  expect(openAll(open, 100, long("192.0.2.1"))).toHaveLength(ends.length);
});

test("limits all networks together", () => {
  const open = new OpenSubscriptions();
  const ends = openAll(open, 1_000, (index) => ({
    prepared: prepareLong(index),
    ip: `198.51.100.${index % 200}`,
  }));
  expect(ends.length * MB).toBeLessThan(100 * MB);
  expect(ends.length).toBeGreaterThan(40);
});

test("counts variables by their memory, and small messages as zero", () => {
  const open = new OpenSubscriptions();
  const prepared = engine.prepare(LISTEN);
  const ip = "203.0.113.1";
  const short = { prepared, variables: { after: "c".repeat(100) }, ip };
  expect(openAll(open, 20_000, () => short)).toHaveLength(20_000);
  const long = { prepared, variables: { after: "c".repeat(100_000) }, ip };
  expect(openAll(open, 100, () => long).length).toBeLessThan(5);
});

test("an evicted operation loses its compiled form", async () => {
  const small = newEngine({ GRAPHQL_CACHE: "2" });
  const context = {
    caller: { requestId: "test", ip: "192.0.2.1" },
    auth: { require: () => Promise.reject(new Error("nobody")) },
    limits: { countForAddress: () => undefined, countExtra: () => null },
  } as unknown as Context;
  const prepared = small.prepare("{ currentSession { id } }");
  const { bytes } = prepared;
  for (let turn = 0; turn < 3; turn += 1) await small.run(prepared, context, {}, "graphql");
  expect(prepared.compiled).not.toBeNull();
  expect(prepared.bytes).toBeGreaterThan(bytes);
  for (const name of ["a", "b", "c"]) small.prepare(`{ ${name}: __typename }`);
  expect(prepared).toMatchObject({ compiled: null, bytes });
  const { errors } = await small.run(prepared, context, {}, "graphql");
  expect(errors).toHaveLength(1);
});
