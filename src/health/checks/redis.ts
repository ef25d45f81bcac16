import { inspectRedis, REDIS_VERSION_MIN, type RedisInfo } from "../../bus/inspect";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { errorMessage } from "../../store/error-properties";
import { checkClockOffset } from "./clock";
import { type Finding, failure, ok, skipped, warning } from "./finding";

const REDIS = "redis";
const TIMEOUT_MS = 3_000;

/** Checks Redis and those of its settings that matter for signals and limits. */
export async function checkRedis(config: Config): Promise<Finding[]> {
  const { REDIS_URL, DATABASE_URL, INBOXES_BYTES } = config;
  if (REDIS_URL === undefined) {
    const alone = DATABASE_URL === undefined ? "" : ", and a second node refuses to start";
    return [skipped(REDIS, `REDIS_URL is not set: a single node needs none${alone}`)];
  }
  let facts: RedisInfo;
  try {
    facts = await inspectRedis(REDIS_URL, systemClock, TIMEOUT_MS);
  } catch (error) {
    const reason = errorMessage(error);
    const fix = "Start Redis, or correct REDIS_URL: host, port, password, database number.";
    return [failure(REDIS, `cannot be reached: ${reason}`, fix)];
  }
  const problems = [...checkSettings(facts), ...checkMemory(facts, INBOXES_BYTES)];
  return [
    ...(problems.length > 0 ? problems : [ok(REDIS, `Redis ${facts.version}`)]),
    ...unknownSettings(facts),
    checkClockOffset("clock: redis", "the clock of Redis", facts.clockAheadMs),
  ];
}

function checkSettings(facts: RedisInfo): Finding[] {
  const findings: Finding[] = [];
  if (isOlder(facts.version)) {
    const oldest = REDIS_VERSION_MIN.join(".");
    findings.push(
      failure(REDIS, `Redis ${facts.version} is too old`, `Use Redis ${oldest} or later.`),
    );
  }
  if (facts.role === "slave") {
    const detail = "is a replica, which is read-only";
    findings.push(failure(REDIS, detail, "Point REDIS_URL at the primary."));
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
