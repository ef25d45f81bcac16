import { examineRedis, REDIS_VERSION_MIN, type RedisFacts } from "../../bus/examine";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { messageOf } from "../../store/error-parts";
import { clockFinding } from "./clock";
import { type Finding, ok, skipped, warning, wrong } from "./finding";

const REDIS = "redis";
const ANSWER_MS = 3_000;

/** Redis, and what its settings mean for signals and limits. */
export async function checkRedis(config: Config): Promise<Finding[]> {
  const { REDIS_URL, DATABASE_URL, INBOXES_BYTES } = config;
  if (REDIS_URL === undefined) {
    const alone = DATABASE_URL === undefined ? "" : ", and a second node refuses to start";
    return [skipped(REDIS, `REDIS_URL is not set: one node alone needs none${alone}`)];
  }
  let facts: RedisFacts;
  try {
    facts = await examineRedis(REDIS_URL, systemClock, ANSWER_MS);
  } catch (error) {
    const reason = messageOf(error);
    const mend = "Start Redis, or correct REDIS_URL: host, port, password, number of the database.";
    return [wrong(REDIS, `cannot be asked: ${reason}`, mend)];
  }
  const found = [...judge(facts), ...judgeSize(facts, INBOXES_BYTES)];
  return [
    ...(found.length > 0 ? found : [ok(REDIS, `Redis ${facts.version}`)]),
    ...unseen(facts),
    clockFinding("clock: redis", "the clock of Redis", facts.clockAheadMs),
  ];
}

function judge(facts: RedisFacts): Finding[] {
  const findings: Finding[] = [];
  if (isOlder(facts.version)) {
    const oldest = REDIS_VERSION_MIN.join(".");
    findings.push(
      wrong(REDIS, `Redis ${facts.version} is too old`, `Use Redis ${oldest} or later.`),
    );
  }
  if (facts.role === "slave") {
    const detail = "is a replica, which takes no writes";
    findings.push(wrong(REDIS, detail, "Let REDIS_URL name the primary."));
  }
  const evicts = facts.maxMemoryPolicy !== "noeviction" && facts.maxMemoryPolicy !== "";
  if (facts.maxMemory > 0 && evicts) {
    const detail = `drops what it likes when its ${facts.maxMemory} bytes are full (maxmemory-policy ${facts.maxMemoryPolicy}): signals that wait, and counts of limits`;
    const mend = "CONFIG SET maxmemory-policy noeviction, and maxmemory large enough.";
    findings.push(warning(REDIS, detail, mend));
  }
  if (!facts.appendOnly) {
    const detail =
      "forgets with a restart what was acknowledged and waits to be fetched (appendonly no): signals of the last minute";
    findings.push(warning(REDIS, detail, "Set appendonly yes, and appendfsync always."));
  } else if (facts.appendFsync !== null && facts.appendFsync !== "always") {
    const detail = `acknowledges signals before its disk has them (appendfsync ${facts.appendFsync}): when its machine fails, the last ones are gone`;
    findings.push(
      warning(REDIS, detail, "CONFIG SET appendfsync always, and the same in its file."),
    );
  }
  return findings;
}

/** Whether what all inboxes may hold fits in; Redis keeps some of it up to a minute longer than it counts. */
function judgeSize({ maxMemory }: RedisFacts, inboxesBytes: number): Finding[] {
  if (maxMemory === 0 || inboxesBytes === 0 || maxMemory >= 2 * inboxesBytes) return [];
  const detail = `may fill ${maxMemory} bytes, less than twice what inboxes may hold (INBOXES_BYTES=${inboxesBytes}): when it is full, signals and sign-ins fail`;
  const mend = `CONFIG SET maxmemory ${2 * inboxesBytes} or more, or a lower INBOXES_BYTES.`;
  return [warning(REDIS, detail, mend)];
}

/** What could not be looked at. */
function unseen({ appendOnly, appendFsync }: RedisFacts): Finding[] {
  if (!appendOnly || appendFsync !== null) return [];
  const detail =
    "does not tell this user its appendfsync (CONFIG GET is refused): look whether it is always";
  return [skipped(REDIS, detail)];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor, oldMinor] = REDIS_VERSION_MIN;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}
