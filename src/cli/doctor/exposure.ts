import { isLoopback } from "../../core/client-address";
import type { Config } from "../../core/config";
import { keyBytes } from "../../core/variables/variable";
import { type Finding, ok, type Patient, skipped, warning, wrong } from "./finding";
import { readAddress } from "./server";

/** What a server that others reach is to be set to; docs/SECURITY.md is the same list in words. */
const CHECKS: Array<(config: Config) => Finding[]> = [
  checkEncryption,
  checkProxy,
  checkLimits,
  checkPrivateNetworks,
  checkSchema,
];
const NAMES = ["encryption", "proxy", "limits", "private networks", "schema", "metrics"] as const;

/** Different bytes that a key of 32 has at least: chance makes about 30, a person who types far fewer. */
const KEY_BYTES_MIN = 16;

/**
 * How far the server is open to others, where any reach it: through HOST itself, or through a proxy on
 * this machine. For trying out on one machine nothing of it is needed.
 */
export async function checkExposure({ config }: Patient): Promise<Finding[]> {
  const always = [...checkKey(config), ...checkRedisAccess(config)];
  if (!isExposed(config)) {
    const reason = "nobody beyond this machine is let in";
    return [...always, ...NAMES.map((name) => skipped(name, reason))];
  }
  const metrics = await checkMetrics(config);
  return [...always, ...CHECKS.flatMap((check) => check(config)), ...metrics];
}

/** Whether anybody beyond this machine reaches the server. */
export function isExposed({ HOST, BASE_URL, TRUST_PROXY }: Config): boolean {
  const named = BASE_URL !== undefined && !isLocal(BASE_URL);
  return !isLoopback(HOST) || named || TRUST_PROXY.length > 0;
}

const isLocal = (url: string) => isLoopback(new URL(url).hostname);

/** A key that somebody typed can be guessed, and with it a copy of the database be read. */
function checkKey({ SECRET_KEY = [] }: Config): Finding[] {
  const weak = SECRET_KEY.some((text) => new Set(keyBytes(text)).size < KEY_BYTES_MIN);
  if (!weak) return [];
  const mend = "Put a new one in front (openssl rand -base64 32), and take the old one out later.";
  return [wrong("key strength", "SECRET_KEY is no random one, and can be guessed", mend)];
}

/** Whoever reaches Redis reads every inbox, and writes to it: a password, or nobody else on its network. */
function checkRedisAccess({ REDIS_URL }: Config): Finding[] {
  if (REDIS_URL === undefined || isLocal(REDIS_URL) || new URL(REDIS_URL).password !== "")
    return [];
  const detail = "REDIS_URL names no password: whoever reaches Redis reads and writes every inbox";
  const mend = "Set requirepass or an ACL user at Redis, and name it in REDIS_URL.";
  return [warning("redis access", detail, mend)];
}

/** Tokens and passwords travel in TLS, which a proxy in front of the server ends. */
function checkEncryption({ BASE_URL, CHAT_URL }: Config): Finding[] {
  const clear = [
    ...(BASE_URL?.startsWith("http:") && !isLocal(BASE_URL) ? ["BASE_URL"] : []),
    ...(CHAT_URL?.startsWith("ws:") && !isLocal(CHAT_URL) ? ["CHAT_URL"] : []),
  ];
  if (clear.length > 0) {
    const detail = `clients are told addresses without TLS (${clear.join(", ")}): tokens and passwords travel in the clear`;
    const mend = "Put a proxy that ends TLS in front, and name https: and wss: addresses.";
    return [wrong("encryption", detail, mend)];
  }
  return [ok("encryption", "no address that clients are told is without TLS")];
}

/** A client's address is what limits count: the proxy's own serves for nobody, and a forged one for all. */
function checkProxy({ BASE_URL, TRUST_PROXY }: Config): Finding[] {
  const everybody = TRUST_PROXY.find((entry) => Number(entry.split("/")[1] ?? 1) === 0);
  if (everybody !== undefined) {
    const detail = `TRUST_PROXY believes everybody (${everybody}): a client names its own address, and no limit of addresses holds`;
    return [wrong("proxy", detail, "Name the proxies' own addresses in TRUST_PROXY.")];
  }
  if (BASE_URL?.startsWith("https:") && TRUST_PROXY.length === 0) {
    const detail =
      "BASE_URL is a proxy's, and TRUST_PROXY names none: all clients have the proxy's address, and share its limits";
    return [warning("proxy", detail, "Set TRUST_PROXY to the proxy's address.")];
  }
  return [ok("proxy", TRUST_PROXY.length > 0 ? `believes ${TRUST_PROXY.join(", ")}` : "none")];
}

/** Numbers of which 0 means that nothing is bounded. */
const BOUNDS = /^(RATE_|FAILURES_|OVERLOAD_|XMPP_BYTES_PER_SECOND$)/;

function checkLimits(config: Config): Finding[] {
  const off = Object.entries(config)
    .filter(([name, value]) => BOUNDS.test(name) && value === 0)
    .map(([name]) => name);
  if (off.length === 0) return [ok("limits", "every one is on")];
  const detail = `${off.join(", ")} ${off.length > 1 ? "are" : "is"} 0: nothing bounds how often`;
  return [warning("limits", detail, "Unset what is 0; docs/LIMITS.md says what each is for.")];
}

function checkPrivateNetworks({ ALLOW_PRIVATE_NETWORKS }: Config): Finding[] {
  const check = "private networks";
  if (!ALLOW_PRIVATE_NETWORKS)
    return [ok(check, "no address that owners or devices name leads there")];
  const detail =
    "ALLOW_PRIVATE_NETWORKS is on: whoever owns an application, and each device, can have this server ask addresses inside its own network";
  return [warning(check, detail, "Unset ALLOW_PRIVATE_NETWORKS.")];
}

/** A matter of taste: what is allowed is decided by tokens, not by who knows the schema. */
function checkSchema({ INTROSPECTION, GRAPHIQL }: Config): Finding[] {
  const open = [...(INTROSPECTION ? ["INTROSPECTION"] : []), ...(GRAPHIQL ? ["GRAPHIQL"] : [])];
  const detail =
    open.length > 0
      ? `anybody can read it (${open.join(" and ")} on); set to false where that is not wanted`
      : "is told to nobody";
  return [ok("schema", detail)];
}

/** The metrics tell how many clients there are, and what fails; they are for the operator. */
async function checkMetrics({ BASE_URL }: Config): Promise<Finding[]> {
  if (BASE_URL === undefined) {
    return [skipped("metrics", "BASE_URL is not set: the public address is not known")];
  }
  const answer = await readAddress(BASE_URL, "metrics");
  if (answer?.text.includes("signalbox_build_info")) {
    const mend = "Let the proxy pass on no /metrics and no /chat/ (docs/OPERATIONS.md).";
    return [warning("metrics", `everybody can read ${BASE_URL}/metrics`, mend)];
  }
  const detail = answer === null ? "the public address does not answer" : "not for the public";
  return [answer === null ? skipped("metrics", detail) : ok("metrics", detail)];
}
