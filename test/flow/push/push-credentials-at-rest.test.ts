import { randomBytes } from "node:crypto";
import { startApp } from "../../../src/app";
import { systemClock } from "../../../src/core/clock";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { newKey } from "../../../src/core/random";
import { Sealer } from "../../../src/core/sealer";
import { openSealer } from "../../../src/domain/applications/secret-key";
import { CredentialCache } from "../../../src/domain/push/credentials/credential-cache";
import {
  clearCredentials,
  openCredentialService,
  setCredentials,
} from "../../../src/domain/push/credentials/push-credentials";
import { SessionEvents } from "../../../src/domain/session-events/session-events";
import { openLocalBus } from "../../../src/platform/bus/local";
import { asTestNode, startNode, type TestNode } from "../../support/node";
import { type FreshDatabase, freshDatabase } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";
import { p8, serviceAccount } from "../../support/push/push-credentials";

/** Push credentials in the database across restarts, and in the cache. */

const TOKEN = {
  key: p8(),
  keyId: "ABC1234567",
  teamId: "TEAM123456",
  bundleId: "com.example.shop",
};
const ACCOUNT = serviceAccount();

/** Opens a second credential service on the database of a node, by default with its own bus. */
async function openService(node: TestNode, sealer: Sealer, bus = openLocalBus(systemClock, LOG)) {
  const { store } = node.app;
  const sessionEvents = await SessionEvents.open(bus, LOG);
  const deps = {
    config: readConfig({}),
    store,
    clock: systemClock,
    log: LOG,
    sealer,
    sessionEvents,
  };
  const service = openCredentialService(deps, async () => null);
  return {
    service,
    bus,
    async close() {
      service.close();
      await sessionEvents.close();
    },
  };
}
const LOG = openLog("silent");

describe("across restarts", () => {
  let database: FreshDatabase;
  let node: TestNode;
  const start = async (more: Record<string, string> = {}): Promise<TestNode> => {
    const ports = { ...FREE_PORTS, LOG_LEVEL: "silent" };
    const variables = { ...ports, ...database.environment, ...more };
    return asTestNode(await startApp(readConfig(variables)), variables, null, node);
  };
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.remove());

  const secrets = async () =>
    (await node.sql<{ secret: string }>("SELECT secret FROM push_credentials ORDER BY id")).map(
      ({ secret }) => secret,
    );

  it("secrets are resealed under a new first key, and open without the old key", async () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
    node = await start({ SECRET_KEY: `${old}` });
    const sealer = await openSealer({ SECRET_KEY: [`${old}`], DATA_DIR: "" });
    const { service, close } = await openService(node, sealer);
    const [account] = await node.sql<{ id: number }>("SELECT account_id AS id FROM applications");
    const scope = {
      applicationId: String(node.application.id),
      environment: "production",
    } as const;
    const owner = account?.id ?? 0;
    await setCredentials(service, owner, scope, { apns: TOKEN }, false);
    await setCredentials(service, owner, scope, { fcm: { serviceAccount: ACCOUNT } }, false);
    await close();
    const before = await secrets();
    await node.app.close();

    for (const keys of [`${fresh},${old}`, `${fresh}`]) {
      node = await start({ SECRET_KEY: keys });
      const now = await secrets();
      expect(now.filter((text) => before.includes(text) || !text.startsWith("sealed:"))).toEqual(
        [],
      );
      expect(now).toHaveLength(2);
      const opener = new Sealer([Buffer.from(`${fresh}`, "base64")]);
      const loaded = new CredentialCache({ store: node.app.store, sealer: opener });
      const apns = await loaded.load(node.application.id, "production", "apns");
      expect(apns?.credentials).toEqual({ service: "apns", kind: "token", ...TOKEN });
      await node.app.close();
    }
  });

  it("a node does not start if secrets are sealed under an unknown key", async () => {
    node = await start();
    await node.sql(
      `INSERT INTO push_credentials (application_id, environment, service, settings, secret, updated_at)
        VALUES ($1, 'production', 'web', '{}', $2, now())`,
      [node.application.id, new Sealer([newKey()]).seal("{}", "push.web")],
    );
    await node.app.close();
    await expect(start()).rejects.toThrow(/encrypted with another key/);
  });
});

describe("in memory", () => {
  let node: TestNode;
  let owner: number;
  let scope: { applicationId: string; environment: "production" };
  const key = newKey();
  const sealer = new Sealer([key]);
  beforeAll(async () => {
    node = await startNode({ SECRET_KEY: key.toString("hex") });
    const [account] = await node.sql<{ id: number }>("SELECT account_id AS id FROM applications");
    owner = account?.id ?? 0;
    scope = { applicationId: String(node.application.id), environment: "production" };
  });
  afterAll(() => node.stop());

  it("are read once, and again on every node when they change", async () => {
    const one = await openService(node, sealer);
    const two = await openService(node, sealer, one.bus);
    const load = ({ service }: typeof one) =>
      service.cache.load(node.application.id, "production", "apns");
    try {
      expect([await load(one), await load(two)]).toEqual([null, null]);
      await setCredentials(one.service, owner, scope, { apns: TOKEN }, true);
      const first = await load(two);
      expect(first).toEqual({
        credentials: { service: "apns", kind: "token", ...TOKEN },
        version: expect.stringMatching(/^[\w-]{43}$/),
        updatedAt: expect.any(Date),
      });
      expect(await load(one)).toEqual(first);

      const query = jest.spyOn(node.app.store, "query");
      const again = await Promise.all([load(two), load(two), load(one)]);
      const reads = query.mock.calls.filter(([{ name }]) => name === "push_credentials");
      expect([again, reads]).toEqual([[first, first, first], []]);
      query.mockRestore();

      const other = { ...TOKEN, keyId: "OTHER12345" };
      await setCredentials(one.service, owner, scope, { apns: other }, true);
      const second = await load(two);
      expect(second?.credentials).toMatchObject({ keyId: "OTHER12345" });
      expect(second?.version).not.toBe(first?.version);
      await setCredentials(two.service, owner, scope, { apns: TOKEN }, true);
      // Equal credentials have the same version, so connections stay open.
      expect(await load(one)).toEqual({ ...first, updatedAt: expect.any(Date) });
      await clearCredentials(two.service, owner, scope, "apns");
      expect([await load(one), await load(two)]).toEqual([null, null]);
    } finally {
      await two.close();
      await one.close();
    }
  });

  it("failed reads and reads during a change are not cached", async () => {
    const { service, close } = await openService(node, sealer);
    try {
      await setCredentials(service, owner, scope, { apns: TOKEN }, true);
      const load = () => service.cache.load(node.application.id, "production", "apns");
      const query = jest.spyOn(node.app.store, "query");
      query.mockRejectedValueOnce(new Error("gone"));
      await expect(load()).rejects.toThrow("gone");
      query.mockRestore();
      const reading = load();
      await clearCredentials(service, owner, scope, "apns");
      await reading;
      expect(await load()).toBeNull();
    } finally {
      await close();
    }
  });
});
