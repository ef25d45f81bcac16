import type { Credentials } from "../../../src/domain/push/credentials/credentials";
import { type ProviderKey, ProviderPool } from "../../../src/domain/push/providers/provider-pool";
import { newApnsKey } from "../../../tools/stand-ins/stored-keys";
import { closeAfterEach } from "../../support/close-after-each";
import { eventually } from "../../support/moving-clock";
import { type ApnsFixture, startApnsFixture } from "../../support/push/apns-fixture";
import { testOptions } from "../../support/push/provider-fixture";

/** The pool of open providers. */

let fixture: ApnsFixture;
const keep = closeAfterEach<ProviderPool>();
const KEY: ProviderKey = { applicationId: 1, environment: "production", service: "apns" };

beforeAll(async () => {
  fixture = await startApnsFixture();
});
afterEach(() => fixture.standIn.received.clear());
afterAll(async () => {
  await fixture?.close();
});

/** A pool on top of a table of credentials that the test changes. */
function openPool(bounds?: { max: number; idleMs: number }) {
  const table = new Map<string, { version: string; credentials: Credentials }>();
  const calls = { loads: 0, reads: 0 };
  const nameOf = ({ applicationId, environment, service }: ProviderKey) =>
    `${applicationId} ${environment} ${service}`;
  const providers = new ProviderPool(
    async (key) => {
      calls.loads++;
      const row = table.get(nameOf(key));
      if (!row) return null;
      const read = () => {
        calls.reads++;
        return row.credentials;
      };
      return { version: row.version, read };
    },
    testOptions(),
    bounds,
  );
  keep(providers);
  const put = (key: ProviderKey, version: string, credentials: Credentials = fixture.token) =>
    table.set(nameOf(key), { version, credentials });
  const send = async (key: ProviderKey) =>
    (await providers.get(key))?.send(fixture.push, fixture.device());
  return { providers, table, calls, put, send };
}

const connections = () => fixture.standIn.received.items.map(({ connection }) => connection);

test("there is no provider without credentials, and one as soon as they are set", async () => {
  const { providers, put, send } = openPool();
  expect(await providers.get(KEY)).toBeNull();
  put(KEY, "1");
  expect(await send(KEY)).toMatchObject({ kind: "accepted" });
});

test("a provider is reused while its credentials are unchanged: they are decrypted once, with one connection", async () => {
  const { put, send, calls } = openPool();
  put(KEY, "1");
  for (let count = 0; count < 5; count++) await send(KEY);
  expect(calls).toEqual({ loads: 5, reads: 1 });
  expect(new Set(connections()).size).toBe(1);
});

test("changed credentials apply from the next batch on, and in-flight pushes finish", async () => {
  const { providers, put, send } = openPool();
  put(KEY, "1");
  const old = await providers.get(KEY);
  const device = fixture.device();
  fixture.script(device, { kind: "slow", ms: 300 });
  const inFlight = old!.send(fixture.push, device);
  put(KEY, "2", { ...fixture.token, key: newApnsKey() });
  expect(await send(KEY)).toEqual({ kind: "failed", reason: "InvalidProviderToken" });
  expect(await inFlight).toMatchObject({ kind: "accepted" });
  expect(await old!.send(fixture.push, fixture.device())).toMatchObject({ kind: "retry" });
});

test("deleted credentials are no longer used", async () => {
  const { providers, put, table } = openPool();
  put(KEY, "1");
  const provider = await providers.get(KEY);
  table.clear();
  expect(await providers.get(KEY)).toBeNull();
  expect(await provider!.send(fixture.push, fixture.device())).toMatchObject({ kind: "retry" });
});

test("each application, environment and service has its own provider", async () => {
  const { providers, put } = openPool();
  const keys: ProviderKey[] = [
    KEY,
    { ...KEY, applicationId: 2 },
    { ...KEY, environment: "development" },
    { ...KEY, service: "fcm" },
  ];
  for (const key of keys) put(key, "1");
  const all = await Promise.all(keys.map((key) => providers.get(key)));
  expect(new Set(all).size).toBe(4);
  expect(await Promise.all(keys.map((key) => providers.get(key)))).toEqual(all);
});

test("the number of open providers is bounded: the least recently used one is closed", async () => {
  const { put, send } = openPool({ max: 2, idleMs: 60_000 });
  const [one, two, three] = [1, 2, 3].map((applicationId) => ({ ...KEY, applicationId }));
  for (const key of [one!, two!, three!]) put(key, "1");
  for (const key of [one!, two!, one!, three!, one!, two!]) await send(key);
  const [a, b, again, c, still, renewed] = connections();
  expect([again, still]).toEqual([a, a]);
  expect(new Set([a, b, c, renewed]).size).toBe(4);
});

test("an idle provider is closed, and opened again on demand", async () => {
  const { providers, put, send } = openPool({ max: 10, idleMs: 100 });
  put(KEY, "1");
  const provider = (await providers.get(KEY))!;
  await provider.send(fixture.push, fixture.device());
  const closed = await eventually(
    () => provider.send(fixture.push, fixture.device()),
    ({ kind }) => kind === "retry",
  );
  expect(closed).toMatchObject({ reason: "the connection was closed" });
  expect(await send(KEY)).toMatchObject({ kind: "accepted" });
});

test("closing closes all providers after in-flight pushes, and opens no more", async () => {
  const { providers, put } = openPool();
  const keys = [1, 2, 3].map((applicationId) => ({ ...KEY, applicationId }));
  for (const key of keys) put(key, "1");
  const sent = keys.map(async (key) => {
    const device = fixture.device();
    fixture.script(device, { kind: "slow", ms: 200 });
    return (await providers.get(key))!.send(fixture.push, device);
  });
  await eventually(
    () => fixture.standIn.received.count,
    (count) => count === 3,
  );
  await providers.close();
  for (const outcome of await Promise.all(sent)) expect(outcome.kind).toBe("accepted");
  await expect(providers.get(KEY)).rejects.toThrow("the provider pool is closed");
});

test("unreadable credentials refuse pushes with the reason", async () => {
  const { put, send } = openPool();
  put(KEY, "1", { ...fixture.token, key: "no key" });
  expect(await send(KEY)).toEqual({ kind: "failed", reason: "the key cannot be read" });
});
