import { createServer } from "node:net";
import { type RedisServer, startRedis } from "../../../scripts/services/redis-server";
import { openLog } from "../../../src/core/log";
import { packageVersion } from "../../../src/core/package-root";
import { newId } from "../../../src/core/random";
import type { Finding } from "../../../src/domain/health/checks/finding";
import { NodeRegistry } from "../../../src/domain/health/nodes/node-registry";
import { openJobs } from "../../../src/platform/jobs/pg-boss";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { endListening, listen, NOWHERE } from "../../support/cli/doctor";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { DATABASE_NAME, describeServices, hasServices } from "../../support/operations/database";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { addEvent } from "../../support/push/push";
import { newUser, rest } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const HEALTH = `{ health {
  checkedAt nodeId
  checks { name status detail fix }
  nodes { id host version startedAt seenAt missing openSockets eventLoopDelayMs }
  jobQueues { name waiting active failed }
} }`;
const RETRY = "mutation ($input: RetryJobInput!) { retryJob(input: $input) { jobId name } }";

interface Check {
  name: string;
  status: string;
  detail: string;
  fix: string | null;
}

interface ShownNode {
  id: string;
  host: string;
  version: string;
  missing: boolean;
  openSockets: number;
}

interface Health {
  checkedAt: string;
  nodeId: string;
  checks: Check[];
  nodes: ShownNode[];
  jobQueues: { name: string; waiting: number; active: number; failed: number }[];
}

/** Time after which a report is made again, in milliseconds. */
const STALE_MS = 5_000;

async function healthOf(node: TestNode): Promise<Health> {
  const { data, errors } = await graphql(node, HEALTH, {}, await memberToken(node, "support"));
  expect(errors).toBeUndefined();
  return data.health;
}

/** A finding of doctor as GraphQL shows it. */
function shown({ check: name, status, detail, fix }: Finding): Check {
  return { name, status: status.toUpperCase(), detail, fix: fix ?? null };
}

describe(`health on the ${DATABASE_NAME} database`, () => {
  const clock = new MovingClock();
  let node: TestNode;
  let smtp: TestSmtp;
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    smtp = await startSmtp();
    redis = hasServices ? await startRedis() : undefined;
    const broken = {
      SMTP_URL: smtp.url,
      MAIL_FROM: "Shop <post@shop.example>",
      TURN_URLS: `turn:${NOWHERE},turn:${NOWHERE}?transport=tcp`,
      TURN_SECRET: "secret-of-the-test-number-one",
      JANUS_URL: `ws://${NOWHERE}`,
      JANUS_API_SECRET: "api-secret-of-the-test",
      JANUS_ADMIN_KEY: "admin-key-of-the-test",
      CHAT_MODE: "component",
      CHAT_SERVER: NOWHERE,
      CHAT_SECRET: "component-secret-of-the-test",
    };
    const environment = { ...broken, ...(redis ? { REDIS_URL: redis.url } : {}) };
    node = await startNode(environment, { clock, jobsPollMs: 100 });
  });
  beforeEach(() => clock.advance(STALE_MS));
  afterAll(async () => {
    await node.stop();
    await redis?.stop();
    await smtp.close();
  });

  /** The findings of doctor on the same settings. */
  const doctor = () => runChecks({ environment: node.environment });
  const named = (checks: Check[], name: string) => checks.filter((check) => check.name === name);

  test("shows members what doctor finds, in the same words", async () => {
    const [{ checks }, findings] = [await healthOf(node), (await doctor()).map(shown)];
    const outside = ["server", "owner", "providers"];
    const both = ["database", "migrations", "secret key", "nodes", "failed jobs", "jobs"];
    const isShared = ({ name }: Check) =>
      !outside.includes(name) && !/port|^clock/.test(name) && !both.includes(name);
    expect(checks.filter(isShared)).toEqual(findings.filter(isShared));
    expect(named(checks, "mail")).toMatchObject([{ status: "OK" }]);
    for (const name of ["turn", "media server", "chat server"]) {
      expect([name, named(checks, name)[0]]).toEqual([
        name,
        expect.objectContaining({ status: "ERROR", detail: expect.stringContaining("cannot be ") }),
      ]);
    }
    // The server has the database open, and doctor looks at it from outside.
    const statusOf = (name: string) => named(checks, name).map(({ status }) => status);
    expect(both.map(statusOf)).toEqual(both.map(() => ["OK"]));
    if (hasServices) {
      const compared = ["database", "migrations", "nodes", "failed jobs", "jobs"];
      expect(compared.map((name) => named(checks, name))).toEqual(
        compared.map((name) => named(findings, name)),
      );
    }
    expect(JSON.stringify(checks)).not.toMatch(/-of-the-test/);
  });

  test("shows a service that stops, and one that comes back", async () => {
    const { url } = smtp;
    await smtp.close();
    await redis?.stop();
    clock.advance(MINUTE);
    const { checks } = await healthOf(node);
    const findings = (await doctor()).map(shown);
    for (const name of ["mail", ...(redis ? ["redis"] : [])]) {
      expect(named(checks, name)).toEqual(named(findings, name));
      expect(named(checks, name)).toMatchObject([
        { status: "ERROR", fix: expect.stringMatching(/./) },
      ]);
    }
    if (redis) {
      expect(named(checks, "redis")[0]?.detail).toMatch(/^cannot be reached: .*ECONNREFUSED/);
      redis = await startRedis(redis.port);
    }
    smtp = await startSmtp(Number(new URL(url).port));
    clock.advance(STALE_MS);
    const soon = (await healthOf(node)).checks;
    expect(named(soon, "mail")).toMatchObject([{ status: "ERROR" }]);
    // This Redis runs, without persistence.
    if (redis) expect(named(soon, "redis")).toMatchObject([{ status: "WARNING" }]);
    clock.advance(MINUTE);
    expect(named((await healthOf(node)).checks, "mail")).toMatchObject([{ status: "OK" }]);
  });

  test("runs the checks once for all who ask within five seconds, and sends no mail", async () => {
    const before = smtp.connections();
    const connections = () => smtp.connections() - before;
    const asked = await startNode({ SMTP_URL: smtp.url }, { clock });
    clock.hold(true);
    try {
      const reports = await Promise.all(Array.from({ length: 30 }, () => healthOf(asked)));
      expect(new Set(reports.map((report) => JSON.stringify(report))).size).toBe(1);
      expect(connections()).toBe(1);
      clock.advance(STALE_MS - 1);
      expect((await healthOf(asked)).checkedAt).toBe(reports[0]?.checkedAt);
      expect(connections()).toBe(1);
      clock.advance(1);
      expect((await healthOf(asked)).checkedAt).not.toBe(reports[0]?.checkedAt);
    } finally {
      clock.hold(false);
      await asked.stop();
    }
    expect(smtp.mails).toEqual([]);
  });

  test("signs in to the servers of mail, media and TURN once a minute, whether or not it succeeds", async () => {
    const connections = { mail: 0, media: 0, turn: 0 };
    // Servers that close every connection, and count them.
    const refusing = async (name: keyof typeof connections) => {
      const server = createServer((socket) => {
        connections[name] += 1;
        socket.destroy();
      });
      return `127.0.0.1:${await listen(server)}`;
    };
    const environment = {
      SMTP_URL: `smtp://user:password@${await refusing("mail")}`,
      JANUS_URL: `ws://${await refusing("media")}`,
      JANUS_API_SECRET: "api-secret-of-the-test",
      JANUS_ADMIN_KEY: "admin-key-of-the-test",
      TURN_URLS: `turn:${await refusing("turn")}?transport=tcp`,
      TURN_SECRET: "secret-of-the-test-number-one",
    };
    // Without conferences, whose engine would connect as well.
    const asked = await startNode(environment, { clock, openEngine: async () => null });
    clock.hold(true);
    try {
      const { checks } = await healthOf(asked);
      for (const name of ["mail", "media server", "turn"]) {
        expect(named(checks, name)).toMatchObject([{ name, status: "ERROR" }]);
      }
      const first = { ...connections };
      expect(Object.values(first)).not.toContain(0);
      for (let passed = 0; passed + STALE_MS < MINUTE; passed += STALE_MS) {
        clock.advance(STALE_MS);
        await healthOf(asked);
      }
      expect(connections).toEqual(first);
      clock.advance(STALE_MS);
      await healthOf(asked);
      for (const [name, count] of Object.entries(first)) {
        expect([name, connections[name as keyof typeof first]]).toEqual([name, 2 * count]);
      }
    } finally {
      clock.hold(false);
      await asked.stop();
      endListening();
    }
  });

  describe("the nodes", () => {
    const opened: NodeRegistry[] = [];
    afterEach(async () => {
      for (const registry of opened.splice(0)) await registry.close();
    });
    /** A node that reports only when it is told to. */
    const other = async (untrustedProxy: { address: string | null } = { address: null }) => {
      const registry = await NodeRegistry.open({
        id: newId(),
        store: node.app.store,
        clock,
        log: openLog("silent"),
        alone: false,
        port: 0,
        countSockets: async () => 3,
        untrustedProxy,
        intervalMs: 3_600_000,
      });
      opened.push(registry);
      return registry;
    };
    const nodesNow = async () => {
      clock.advance(STALE_MS);
      return healthOf(node);
    };
    /** Moves the last report of a node into the past. */
    const silence = (id: string, seconds: number) =>
      node.sql("UPDATE nodes SET seen_at = now() - $2 * interval '1 second' WHERE id = $1", [
        id,
        seconds,
      ]);

    test("are listed while they run, until they stop", async () => {
      const second = await other();
      second.sampleDelay(17.4);
      second.sampleDelay(3);
      await second.report();
      const { nodes, nodeId } = await nodesNow();
      expect(nodes.map(({ id }) => id)).toEqual([nodeId, second.id]);
      expect(nodes[1]).toMatchObject({
        version: packageVersion(),
        missing: false,
        openSockets: 3,
        eventLoopDelayMs: 17,
      });
      await second.close();
      expect((await nodesNow()).nodes.map(({ id }) => id)).toEqual([nodeId]);
    });

    test("say which proxy of a node TRUST_PROXY does not name", async () => {
      const proxy: { address: string | null } = { address: null };
      const second = await other(proxy);
      const findings = async () => {
        await second.report();
        return named((await nodesNow()).checks, "nodes");
      };
      expect(await findings()).toMatchObject([{ status: "OK" }]);
      proxy.address = "10.0.0.10";
      expect(await findings()).toMatchObject([
        {
          status: "WARNING",
          detail: expect.stringContaining("through 10.0.0.10, which TRUST_PROXY"),
        },
      ]);
    });

    describeServices("beside each other", () => {
      test("are all listed, until they stop", async () => {
        const second = await startNode({}, { clock }, node);
        const { nodes } = await nodesNow();
        expect(nodes.map(({ missing }) => missing)).toEqual([false, false]);
        expect((await healthOf(second)).nodes).toHaveLength(2);
        await second.stop();
        expect((await nodesNow()).nodes).toHaveLength(1);
      });
    });

    test("that die are missing for an hour, and then forgotten", async () => {
      const dead = await other();
      const detail = (report: Health) => named(report.checks, "nodes");
      expect(detail(await nodesNow())).toMatchObject([
        { status: "OK", detail: `2 nodes run, version ${packageVersion()}` },
      ]);
      await silence(dead.id, 20);
      expect((await nodesNow()).nodes[1]).toMatchObject({ id: dead.id, missing: false });
      await silence(dead.id, 120);
      const missing = await nodesNow();
      expect(missing.nodes[1]).toMatchObject({ id: dead.id, missing: true });
      expect(detail(missing)).toMatchObject([
        { status: "WARNING", fix: expect.stringMatching(/start it again/) },
      ]);
      expect(detail(missing)[0]?.detail).toMatch(
        new RegExp(`^the node .+ \\(${dead.id}\\) is missing: its last report is 2 minutes old$`),
      );
      await silence(dead.id, 3_601);
      expect((await nodesNow()).nodes).toHaveLength(1);
      // The next report of another node deletes the row.
      await other();
      expect(await node.sql("SELECT id FROM nodes WHERE id = $1", [dead.id])).toEqual([]);
    });

    test("in different versions are a warning", async () => {
      const old = await other();
      await node.sql("UPDATE nodes SET version = '0.0.1' WHERE id = $1", [old.id]);
      expect(named((await nodesNow()).checks, "nodes")).toMatchObject([
        {
          status: "WARNING",
          detail: `2 nodes run in different versions: 0.0.1, ${packageVersion()}`,
        },
      ]);
    });

    test("replace what an earlier process at their address left", async () => {
      const options = {
        store: node.app.store,
        clock,
        log: openLog("silent"),
        alone: false,
        port: 4_711,
        countSockets: async () => 0,
        untrustedProxy: { address: null },
        intervalMs: 3_600_000,
      };
      const killed = await NodeRegistry.open({ ...options, id: newId() });
      const restarted = await NodeRegistry.open({ ...options, id: newId() });
      const ids = async () =>
        (await node.sql<{ id: string }>("SELECT id FROM nodes WHERE port = 4711")).map(
          ({ id }) => id,
        );
      expect(await ids()).toEqual([restarted.id]);
      // A living one at the same address, in another container, enters itself again.
      await killed.report();
      expect((await ids()).sort()).toEqual([killed.id, restarted.id].sort());
      await killed.close();
      await restarted.close();
      expect(await ids()).toEqual([]);
    });
  });

  describe("failed jobs", () => {
    let foreign: TestNode;
    beforeAll(async () => {
      foreign = await secondApplication(node);
    });
    beforeEach(() => node.sql("DELETE FROM pgboss.job WHERE state = 'failed'"));

    const list = async (at: TestNode, page = "") => {
      const text = `{ failedJobs${page} { nodes { id name applicationId failedAt attempts reason }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
      const { data, errors } = await graphql(at, text, {}, await memberToken(at, "support"));
      expect(errors).toBeUndefined();
      return data.failedJobs;
    };
    const retry = async (token: string, applicationId: number, jobId: string) => {
      const input = { applicationId: String(applicationId), jobId };
      const { data, errors } = await graphql(node, RETRY, { input }, token);
      return data?.retryJob ?? errors?.[0]?.extensions.code;
    };

    test("of the account are listed without their data; others are only counted", async () => {
      const data = { emailKey: "ann@private.example" };
      const own = await addFailedJob(node, { reason: `no ${"x".repeat(400)}`, data });
      const theirs = await addFailedJob(node, { applicationId: foreign.application.id });
      await addFailedJob(node, { applicationId: null });
      const { nodes } = await list(node);
      expect(nodes).toMatchObject([
        {
          id: own,
          name: "push-fan-out",
          applicationId: String(node.application.id),
          attempts: 6,
        },
      ]);
      expect(nodes[0].reason).toHaveLength(300);
      expect(JSON.stringify(nodes)).not.toContain("private");
      expect((await list(foreign)).nodes.map(({ id }: { id: string }) => id)).toEqual([theirs]);
      for (const at of [node, foreign]) {
        const { jobQueues, checks } = await healthOf(at);
        expect(jobQueues).toContainEqual(
          expect.objectContaining({ name: "push-fan-out", failed: 3 }),
        );
        expect(named(checks, "failed jobs")).toMatchObject([
          { status: "WARNING", detail: "failed for good: push-fan-out (3)" },
        ]);
      }
    });

    test("are read in pages, the latest failure first", async () => {
      const ids = [];
      for (const secondsAgo of [50, 40, 30, 20, 10]) {
        ids.unshift(await addFailedJob(node, { secondsAgo }));
      }
      const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);
      const first = await list(node, "(first: 2)");
      expect([idsOf(first), first.pageInfo.hasNextPage]).toEqual([ids.slice(0, 2), true]);
      const second = await list(node, `(first: 2, after: "${first.pageInfo.endCursor}")`);
      expect([idsOf(second), second.pageInfo.hasPreviousPage]).toEqual([ids.slice(2, 4), true]);
      const back = await list(node, `(last: 3, before: "${second.pageInfo.endCursor}")`);
      expect([idsOf(back), back.pageInfo.hasPreviousPage]).toEqual([ids.slice(0, 3), false]);
      for (const cursor of ["1", "x_y", `1_${ids[0]}_`, `-1_${ids[0]}`]) {
        const text = `{ failedJobs(after: "${cursor}") { nodes { id } } }`;
        const { errors } = await graphql(node, text, {}, await ownerToken(node));
        expect([cursor, errors?.[0]?.extensions.code]).toEqual([cursor, "INVALID"]);
      }
    });

    test("run once more when a developer retries them", async () => {
      const id = await addFailedJob(node);
      const application = node.application.id;
      expect(await retry(await memberToken(node, "support"), application, id)).toBe("FORBIDDEN");
      const developer = await memberToken(node, "developer");
      expect(await retry(developer, application, id)).toEqual({ jobId: id, name: "push-fan-out" });
      await eventually(
        () =>
          node.sql<{ state: string }>(
            "SELECT state::text FROM pgboss.job WHERE id = $1::text::uuid",
            [id],
          ),
        ([row]) => row?.state === "completed",
      );
      expect(await retry(developer, application, id)).toBe("NOT_FOUND");
      expect((await list(node)).nodes).toEqual([]);
    });

    test("of another account cannot be retried, by either of its ids", async () => {
      const theirs = await addFailedJob(node, { applicationId: foreign.application.id });
      const owner = await ownerToken(node);
      for (const application of [node.application.id, foreign.application.id, 0]) {
        expect(await retry(owner, application, theirs)).toBe("NOT_FOUND");
      }
      expect(await retry(owner, node.application.id, "no id")).toBe("NOT_FOUND");
      expect((await list(foreign)).nodes).toHaveLength(1);
    });

    test("belong to the application of their push or mail", async () => {
      const { store } = node.app;
      const user = await newUser(node);
      const jobs = openJobs({ store, log: openLog("silent"), singleNode: false });
      const options = { retries: 0 };
      const window = { occurrence: 0, recipient: 0, subscription: 0 };
      const event = await addEvent(node, user);
      // A message that nobody can read.
      await node.sql(
        `UPDATE push_events SET universal = true, message = 'broken', occured_count = 0, expanded_to = 0,
          expanded_sub = 0 WHERE id = $1`,
        [event],
      );
      await jobs.enqueue("push-fan-out", { event, ...window }, options);
      await rest(node, "PUT", `/users/${user.id}`, {
        token: user.token,
        body: { user: { email: "ann@mail.example" } },
      });
      smtp.refuse(450, 1);
      const reset = { applicationId: node.application.id, userId: user.id };
      await jobs.enqueue("password-reset", reset, options);
      await jobs.close();
      const { nodes } = await eventually(
        () => list(node),
        (found) => found.nodes.length === 2,
      );
      expect(nodes.map(({ name }: { name: string }) => name).sort()).toEqual([
        "password-reset",
        "push-fan-out",
      ]);
      expect(JSON.stringify(nodes)).not.toContain("ann@");
    });
  });
});
