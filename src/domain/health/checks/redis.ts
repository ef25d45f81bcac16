import { systemClock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { inspectRedis, REDIS_VERSION_MIN, type RedisInfo } from "../../../platform/bus/inspect";
import { probeLimits } from "../../../platform/limits/limiter-scripts";
import { errorMessage } from "../../../platform/store/error-properties";
import { checkClockOffset } from "./clock";
import { type Finding, failure, ok, problem, skipped, warning } from "./finding";

const REDIS = "redis";
const TIMEOUT_MS = 3_000;

/** Checks Redis and those of its settings that matter for signals and limits. */
export async function checkRedis(config: Config): Promise<Finding[]> {
  const { REDIS_URL, DATABASE_URL, INBOXES_BYTES } = config;
  if (REDIS_URL === undefined) {
    const alone = DATABASE_URL === undefined ? "" : ", and a second node refuses to start";
    return [skipped(REDIS, `REDIS_URL is not set: a single node needs none${alone}`)];
  }
  let facts: Awaited<ReturnType<typeof inspectRedis>>;
  try {
    facts = await inspectRedis(REDIS_URL, systemClock, TIMEOUT_MS, probeLimits);
  } catch (error) {
    const reason = errorMessage(error);
    const fix = "Start Redis, or correct REDIS_URL: host, port, password, database number.";
    return [failure(REDIS, `cannot be reached: ${reason}`, fix)];
  }
  if ("unsupported" in facts) return [problem(REDIS, facts.unsupported)];
  const problems = [
    ...checkWrites(facts),
    ...checkSettings(facts),
    ...checkMemory(facts, INBOXES_BYTES),
  ];
  return [
    ...(problems.length > 0 ? problems : [ok(REDIS, `Redis ${facts.version}`)]),
    ...unknownSettings(facts),
    checkClockOffset("clock: redis", "the clock of Redis", facts.clockAheadMs),
  ];
}

/** What to do about a refused write, by the first word of the reply. */
const WRITE_FIXES: Record<string, string> = {
  NOPERM: "Allow its user the keys and channels of the service (docs/OPERATIONS.md).",
  OOM: "Raise maxmemory: it is full.",
  NOREPLICAS: "Start its replicas, or lower min-replicas-to-write.",
  MISCONF: "Read its log: it cannot write its snapshots to disk.",
};

function checkWrites({ refusedWrite }: RedisInfo): Finding[] {
  if (refusedWrite === null) return [];
  const fix = WRITE_FIXES[refusedWrite.split(" ", 1)[0] ?? ""] ?? "Read its log.";
  return [failure(REDIS, `refuses signals or limits: ${refusedWrite.trim()}`, fix)];
}

function checkSettings(facts: RedisInfo): Finding[] {
  const findings: Finding[] = [];
  if (isOlder(facts.version)) {
    const oldest = REDIS_VERSION_MIN.join(".");
    findings.push(
      failure(REDIS, `Redis ${facts.version} is too old`, `Use Redis ${oldest} or later.`),
    );
  }
  const evicts = facts.maxMemoryPolicy !== "noeviction" && facts.maxMemoryPolicy !== "";
  if (facts.maxMemory > 0 && evicts) {
    const detail = `evicts pending signals and rate-limit counters when its ${facts.maxMemory} bytes are full (maxmemory-policy ${facts.maxMemoryPolicy})`;
    const fix = "CONFIG SET maxmemory-policy noeviction, and a maxmemory that is large enough.";
    findings.push(warning(REDIS, detail, fix));
  }
  if (!facts.appendOnly) {
    const detail = "loses acknowledged signals of the last minute when it restarts (appendonly no)";
    findings.push(warning(REDIS, detail, "Set appendonly yes, and appendfsync always."));
  } else if (facts.appendFsync !== null && facts.appendFsync !== "always") {
    const detail = `acknowledges signals before they are on disk (appendfsync ${facts.appendFsync}): the last ones are lost if its machine fails`;
    findings.push(
      warning(REDIS, detail, "CONFIG SET appendfsync always, and the same in redis.conf."),
    );
  }
  return findings;
}

/** Redis needs twice INBOXES_BYTES, as it keeps expired inbox entries for up to a minute longer. */
function checkMemory({ maxMemory }: RedisInfo, inboxesBytes: number): Finding[] {
  if (maxMemory === 0 || inboxesBytes === 0 || maxMemory >= 2 * inboxesBytes) return [];
  const detail = `maxmemory is ${maxMemory} bytes, less than twice INBOXES_BYTES (${inboxesBytes}): signals and sign-ins fail when it is full`;
  const fix = `CONFIG SET maxmemory ${2 * inboxesBytes} or more, or lower INBOXES_BYTES.`;
  return [warning(REDIS, detail, fix)];
}

/** Settings that this Redis user may not read. */
function unknownSettings({ appendOnly, appendFsync }: RedisInfo): Finding[] {
  if (!appendOnly || appendFsync !== null) return [];
  const detail = "appendfsync is unknown (CONFIG GET is refused): verify that it is always";
  return [skipped(REDIS, detail)];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor, oldMinor] = REDIS_VERSION_MIN;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}
