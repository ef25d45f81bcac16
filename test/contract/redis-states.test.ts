import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../../scripts/services/binaries";
import {
  type RedisServer,
  sendCommand,
  startRedis,
  startSentinel,
} from "../../scripts/services/redis-server";
import { systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { checkRedis } from "../../src/domain/health/checks/redis";
import type { ManagedBus } from "../../src/platform/bus/adapter";
import { inspectRedis } from "../../src/platform/bus/inspect";
import { openRedisBus } from "../../src/platform/bus/redis";
import { isNotPrimary } from "../../src/platform/bus/redis-server";
import type { RateLimit } from "../../src/platform/limits/limiter";
import { probeLimits } from "../../src/platform/limits/limiter-scripts";
import type { LocalLimiter } from "../../src/platform/limits/local-limiter";
import { openRedisLimiter } from "../../src/platform/limits/redis-limiter";
import { type BreakableProxy, startBreakableProxy } from "../support/operations/breakable-proxy";
import { describeServices } from "../support/operations/database";

/** Redis in the states in which it answers but does not accept what the service writes. */

const log = openLog("silent");
const DOCUMENT = join(__dirname, "../../docs/OPERATIONS.md");
/** Answers in place of Redis. */
const FALLBACK_WAIT = 4_711;
const NO_LIMITER = { take: async () => FALLBACK_WAIT } as unknown as LocalLimiter;

/** The error that doctor finds with a Redis; undefined if there is none. */
async function errorOf(url: string) {
  const findings = await checkRedis(readConfig({ REDIS_URL: url }));
  return findings.find(({ status }) => status === "error");
}

/** Sends commands, and expects that Redis accepts each. */
async function configure(port: number, ...commands: string[]): Promise<void> {
  for (const command of commands) expect(await sendCommand(port, command)).toBe("+OK");
}

interface State {
  enter(port: number): Promise<void>;
  leave(port: number): Promise<void>;
  /** What doctor says. */
  detail: RegExp;
}

/** Makes the next snapshot fail: its folder is gone. */
async function failSnapshot(port: number): Promise<void> {
  const folder = (await sendCommand(port, "CONFIG GET dir")).split("\r\n").at(-1) ?? "";
  await rm(folder, { recursive: true });
  await configure(port, "CONFIG SET save '3600 1'");
  await sendCommand(port, "BGSAVE");
  await eventually(async () =>
    expect(await sendCommand(port, "INFO persistence")).toContain("rdb_last_bgsave_status:err"),
  );
}

/** A reply to a write, and how a Redis comes to give it. */
const STATES: Record<string, State> = {
  READONLY: {
    enter: (port) => configure(port, "REPLICAOF 127.0.0.1 1"),
    leave: (port) => configure(port, "REPLICAOF NO ONE"),
    detail: /is a replica, which accepts no writes$/,
  },
  MASTERDOWN: {
    enter: (port) =>
      configure(port, "CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"),
    leave: (port) => configure(port, "REPLICAOF NO ONE", "CONFIG SET replica-serve-stale-data yes"),
    detail: /is a replica, which accepts no writes$/,
  },
  OOM: {
    enter: (port) => configure(port, "CONFIG SET maxmemory 1"),
    leave: (port) => configure(port, "CONFIG SET maxmemory 0"),
    detail: /refuses signals or limits: OOM /,
  },
  NOREPLICAS: {
    enter: (port) => configure(port, "CONFIG SET min-replicas-to-write 1"),
    leave: (port) => configure(port, "CONFIG SET min-replicas-to-write 0"),
    detail: /refuses signals or limits: NOREPLICAS /,
  },
  NOPERM: {
    enter: (port) => configure(port, "ACL SETUSER default resetkeys ~signalbox:inbox:*"),
    leave: (port) => configure(port, "ACL SETUSER default allkeys"),
    detail: /refuses signals or limits: NOPERM /,
  },
  MISCONF: {
    enter: failSnapshot,
    leave: (port) => configure(port, "CONFIG SET save ''"),
    detail: /refuses signals or limits: MISCONF /,
  },
};

describeServices("a Redis that answers", () => {
  let server: RedisServer;
  let bus: ManagedBus;
  beforeAll(async () => {
    server = await startRedis();
    bus = await openRedisBus(server.url, log);
  });
  afterAll(async () => {
    await bus.close();
    await server.stop();
  });

  test.each(
    Object.entries(STATES),
  )("%s is found by readiness and doctor, and signals are UNAVAILABLE, until it ends", async (reply, {
    enter,
    leave,
    detail,
  }) => {
    await bus.check();
    expect(await errorOf(server.url)).toBeUndefined();
    await enter(server.port);
    try {
      const script = "return redis.call('SET', KEYS[1], '')";
      expect(await sendCommand(server.port, `EVAL "${script}" 1 signalbox:sizes`)).toMatch(
        new RegExp(`^-${reply} `),
      );
      const unavailable = { code: "UNAVAILABLE", retryAfter: 2 };
      await expect(bus.check()).rejects.toMatchObject(unavailable);
      await expect(bus.append("inbox:1", "signal")).rejects.toMatchObject(unavailable);
      expect(await errorOf(server.url)).toMatchObject({
        check: "redis",
        detail: expect.stringMatching(detail),
      });
    } finally {
      await leave(server.port);
    }
    await eventually(() => bus.check());
    await bus.append("inbox:1", "signal");
  });

  test("LOADING is found by readiness, until the data is loaded", async () => {
    const primary = await startRedis();
    const replica = await startRedis();
    const proxy = await startBreakableProxy(primary.port);
    const other = await openRedisBus(`redis://127.0.0.1:${proxy.port}`, log);
    try {
      // A fail-over leaves the connections at a server that becomes a replica and loads the data of the new primary.
      await configure(replica.port, "CONFIG SET repl-diskless-sync-delay 0");
      await sendCommand(
        replica.port,
        "EVAL \"for i = 1, 20000 do redis.call('SET', i, string.rep('x', 100)) end\" 0",
      );
      await configure(
        primary.port,
        "CONFIG SET key-load-delay 2000",
        "CONFIG SET loading-process-events-interval-bytes 1024",
        `REPLICAOF 127.0.0.1 ${replica.port}`,
      );
      await eventually(async () =>
        expect(await sendCommand(primary.port, "GET 1")).toMatch(/^-LOADING /),
      );
      await expect(other.check()).rejects.toMatchObject({ code: "UNAVAILABLE" });
      proxy.redirect(replica.port);
      await eventually(() => other.check());
    } finally {
      await other.close();
      await proxy.close();
      await Promise.all([primary.stop("SIGKILL"), replica.stop()]);
    }
  });

  test("at a limiter's keys only is found by doctor", async () => {
    await configure(
      server.port,
      "ACL SETUSER part on >secret ~signalbox:inbox:* ~signalbox:state:* ~signalbox:order:* ~signalbox:shares:* ~signalbox:sizes &signalbox:* +@all",
    );
    const url = server.url.replace("//", "//part:secret@");
    expect((await errorOf(url))?.detail).toMatch(/^refuses signals or limits: NOPERM/);
  });

  test("with the access rules of the documents accepts everything that the service does", async () => {
    const text = await readFile(DOCUMENT, "utf8");
    const [, rules = ""] = /ACL SETUSER signalbox on (.*)/.exec(text) ?? [];
    await configure(server.port, `ACL SETUSER signalbox on ${rules}`);
    const [, password = ""] = />(\S+)/.exec(rules) ?? [];
    const url = server.url.replace("//", `//signalbox:${password}@`);
    expect(await errorOf(url)).toBeUndefined();
    const allowed = await openRedisBus(url, log);
    try {
      await allowed.check();
      await allowed.values.setIfAbsent("key", "value");
      await allowed.values.deleteIf("key", "value");
    } finally {
      await allowed.close();
    }
  });

  test("keeps nothing that a check writes", async () => {
    const empty = await startRedis();
    try {
      const own = await openRedisBus(empty.url, log, 1_000_000);
      await own.check();
      await inspectRedis(empty.url, systemClock, 3_000, probeLimits);
      await own.close();
      // The size of all inboxes, to which a check adds nothing, has a TTL of its own.
      const left = ["*1", "$15", "signalbox:sizes"].join("\r\n");
      await eventually(async () => expect(await sendCommand(empty.port, "KEYS *")).toBe(left));
      expect(await sendCommand(empty.port, "HVALS signalbox:sizes")).toMatch(/^\*1\r\n\$1\r\n0$/);
    } finally {
      await empty.stop();
    }
  });
});

describeServices("after a fail-over behind the same address", () => {
  let old: RedisServer;
  let next: RedisServer;
  let proxy: BreakableProxy;
  let bus: ManagedBus;
  beforeEach(async () => {
    [old, next] = await Promise.all([startRedis(), startRedis()]);
    proxy = await startBreakableProxy(old.port);
    bus = await openRedisBus(`redis://127.0.0.1:${proxy.port}`, log);
  });
  afterEach(async () => {
    await bus.close();
    await proxy.close();
    await Promise.all([old.stop(), next.stop()]);
  });

  test("every connection leaves the old primary, and notices arrive", async () => {
    const received: string[] = [];
    await bus.subscribe("inbox:1", (message) => received.push(message));
    await bus.check();
    proxy.redirect(next.port);
    await configure(old.port, "REPLICAOF 127.0.0.1 1");
    await eventually(() => bus.check());
    const { cursor, hasSubscribers } = await bus.append("inbox:1", "signal");
    expect(hasSubscribers).toBe(true);
    await eventually(async () => expect(received).toContain(cursor));
    const names = await sendCommand(old.port, "CLIENT LIST");
    expect(names).not.toContain("name=signalbox-");
  });

  test("a check fails while notices come from another server than signals go to, and mends it", async () => {
    await bus.check();
    proxy.redirect(next.port);
    const clients = await sendCommand(old.port, "CLIENT LIST TYPE normal");
    const [, id] = /id=(\d+)[^\n]*name=signalbox-commands/.exec(clients) ?? [];
    await sendCommand(old.port, `CLIENT KILL ID ${id}`);
    await expect(
      eventually(async () => {
        const found = await sendCommand(next.port, "CLIENT LIST");
        expect(found).toContain("name=signalbox-commands");
      }).then(() => bus.check()),
    ).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await eventually(() => bus.check());
  });

  test("a limiter counts at the new primary", async () => {
    const limiter = await openRedisLimiter(`redis://127.0.0.1:${proxy.port}`, log, NO_LIMITER);
    try {
      const limit: RateLimit = { name: "test", limit: 1_000_000, seconds: 60 };
      proxy.redirect(next.port);
      await configure(old.port, "REPLICAOF 127.0.0.1 1");
      expect(await limiter.take(limit, "key")).toBe(FALLBACK_WAIT);
      await eventually(async () => expect(await limiter.take(limit, "key")).toBe(0));
    } finally {
      await limiter.close();
    }
  });
});

describeServices("the start", () => {
  test.each([
    [
      "a node of a Redis Cluster",
      () => startRedis(undefined, ["--cluster-enabled", "yes"]),
      "Redis (REDIS_URL) is a node of a Redis Cluster, which is not supported: use one Redis server that is not in cluster mode.",
    ],
    [
      "a replica",
      () => startRedis(undefined, ["--replicaof", "127.0.0.1 1"]),
      "Redis (REDIS_URL) is a replica, which accepts no writes: set REDIS_URL to the primary.",
    ],
    [
      "a Sentinel",
      startSentinel,
      "REDIS_URL is the address of a Redis Sentinel, which is not supported: set it to the primary that the Sentinel watches.",
    ],
  ])("refuses %s, as doctor does, with the sentence of the documents", async (_, startServer, sentence) => {
    const server = await startServer();
    try {
      for (const url of [server.url, `${server.url}/3`]) {
        for (const open of [
          () => openRedisBus(url, log),
          () => openRedisLimiter(url, log, NO_LIMITER),
        ]) {
          await expect(open()).rejects.toThrow(new Error(sentence));
        }
        const { detail, fix = "" } = (await errorOf(url)) ?? {};
        const words = `${detail}: ${fix.charAt(0).toLowerCase()}${fix.slice(1)}`;
        expect(words).toBe(sentence);
      }
    } finally {
      await server.stop();
    }
    const text = await readFile(DOCUMENT, "utf8");
    expect(text.replace(/\s+/g, " ")).toContain(sentence);
  });
});

test.each([
  ["READONLY You can't write against a read only replica. script: 1f, on @user_script:1.", true],
  // Redis 6.2.
  [
    "ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica. ",
    true,
  ],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
  ["LOADING Redis is loading the dataset in memory", true],
  ["OOM command not allowed when used memory > 'maxmemory'.", false],
  ["NOSCRIPT No matching script.", false],
])("the reply %s tells whether the server is not the primary", (reply, expected) => {
  expect(isNotPrimary(reply)).toBe(expected);
});
