import { isLoopback } from "../../../core/client-address";
import type { Config } from "../../../core/config";
import { decodeKey } from "../../../core/variables/variable";
import { fetchText } from "./fetch-text";
import { type Finding, failure, ok, skipped, warning } from "./finding";

/** Checks of an exposed server's settings. docs/SECURITY.md has the same list in prose. */
const CHECKS: Array<(config: Config) => Finding[]> = [
  checkEncryption,
  checkProxy,
  checkLimits,
  checkPrivateNetworks,
  checkSchema,
];
const NAMES = ["encryption", "proxy", "limits", "private networks", "schema", "metrics"] as const;

/** Minimum of distinct bytes in a 32-byte key: a random key has about 30, a typed one far fewer. */
const DISTINCT_KEY_BYTES_MIN = 16;

/**
 * Checks the settings that matter once other machines reach the server, through HOST itself or through a
 * proxy on this machine. Most of them are skipped for a server that is local only.
 */
export async function checkExposure(config: Config): Promise<Finding[]> {
  const always = [...checkKey(config), ...checkRedisAccess(config)];
  if (!isExposed(config)) {
    const reason = "the server is only reachable from this machine";
    return [...always, ...NAMES.map((name) => skipped(name, reason))];
  }
  const metrics = await checkMetrics(config);
  return [...always, ...CHECKS.flatMap((check) => check(config)), ...metrics];
}

/** Whether other machines can reach the server. */
export function isExposed({ HOST, BASE_URL, TRUST_PROXY }: Config): boolean {
  const hasPublicUrl = BASE_URL !== undefined && !isLocal(BASE_URL);
  return !isLoopback(HOST) || hasPublicUrl || TRUST_PROXY.length > 0;
}

const isLocal = (url: string) => isLoopback(new URL(url).hostname);

/** A guessable key exposes the secrets in any copy of the database. */
function checkKey({ SECRET_KEY = [] }: Config): Finding[] {
  const weak = SECRET_KEY.some((text) => new Set(decodeKey(text)).size < DISTINCT_KEY_BYTES_MIN);
  if (!weak) return [];
  const fix = "Put a new key first (openssl rand -base64 32), and remove the old one later.";
  return [failure("key strength", "SECRET_KEY is not random and can be guessed", fix)];
}

/** Anyone who reaches Redis can read and write every inbox, so it needs a password or a private network. */
function checkRedisAccess({ REDIS_URL }: Config): Finding[] {
  if (REDIS_URL === undefined || isLocal(REDIS_URL) || new URL(REDIS_URL).password !== "")
    return [];
  const detail =
    "REDIS_URL has no password: anyone who reaches Redis can read and write every inbox";
  const fix = "Set requirepass or an ACL user in Redis, and put it into REDIS_URL.";
  return [warning("redis access", detail, fix)];
}

/** Tokens and passwords need TLS, which a proxy in front of the server terminates. */
function checkEncryption({ BASE_URL, CHAT_URL }: Config): Finding[] {
  const clear = [
    ...(BASE_URL?.startsWith("http:") && !isLocal(BASE_URL) ? ["BASE_URL"] : []),
    ...(CHAT_URL?.startsWith("ws:") && !isLocal(CHAT_URL) ? ["CHAT_URL"] : []),
  ];
  if (clear.length > 0) {
    const detail = `public addresses are without TLS (${clear.join(", ")}): tokens and passwords are sent in cleartext`;
    const fix = "Put a TLS-terminating proxy in front, and use https: and wss: addresses.";
    return [failure("encryption", detail, fix)];
  }
  return [ok("encryption", "no public address is without TLS")];
}

/** Limits count per client address, so they need the real one: not the proxy's, and not a forged one. */
function checkProxy({ BASE_URL, TRUST_PROXY }: Config): Finding[] {
  const everyone = TRUST_PROXY.find((entry) => Number(entry.split("/")[1] ?? 1) === 0);
  if (everyone !== undefined) {
    const detail = `TRUST_PROXY trusts everyone (${everyone}): clients can forge their address and evade limits`;
    return [failure("proxy", detail, "List only the proxies' own addresses in TRUST_PROXY.")];
  }
  if (BASE_URL?.startsWith("https:") && TRUST_PROXY.length === 0) {
    const detail =
      "BASE_URL is a proxy's, but TRUST_PROXY is empty: all clients have the proxy's address and share its limits";
    return [warning("proxy", detail, "Set TRUST_PROXY to the proxy's address.")];
  }
  return [ok("proxy", TRUST_PROXY.length > 0 ? `trusts ${TRUST_PROXY.join(", ")}` : "none")];
}

/** Variables whose value 0 disables a limit. */
const BOUNDS = /^(RATE_|FAILED_SIGN_INS_|OVERLOAD_|XMPP_BYTES_PER_SECOND$)/;

function checkLimits(config: Config): Finding[] {
  const off = Object.entries(config)
    .filter(([name, value]) => BOUNDS.test(name) && value === 0)
    .map(([name]) => name);
  if (off.length === 0) return [ok("limits", "all are enabled")];
  const detail = `${off.join(", ")} ${off.length > 1 ? "are" : "is"} 0, which disables the limit`;
  return [warning("limits", detail, "Unset them; docs/LIMITS.md describes each.")];
}

function checkPrivateNetworks({ ALLOW_PRIVATE_NETWORKS }: Config): Finding[] {
  const check = "private networks";
  if (!ALLOW_PRIVATE_NETWORKS)
    return [ok(check, "outgoing requests to private addresses are blocked")];
  const detail =
    "ALLOW_PRIVATE_NETWORKS is on: application owners and devices can make this server send requests into its own network";
  return [warning(check, detail, "Unset ALLOW_PRIVATE_NETWORKS.")];
}

/** Never a warning: tokens decide access, so a public schema is a matter of preference. */
function checkSchema({ INTROSPECTION, GRAPHIQL }: Config): Finding[] {
  const open = [...(INTROSPECTION ? ["INTROSPECTION"] : []), ...(GRAPHIQL ? ["GRAPHIQL"] : [])];
  const detail =
    open.length > 0 ? `public (${open.join(" and ")} on); set to false to hide it` : "hidden";
  return [ok("schema", detail)];
}

/** Metrics reveal client counts and failures, so they are only for the operator. */
async function checkMetrics({ BASE_URL }: Config): Promise<Finding[]> {
  if (BASE_URL === undefined) {
    return [skipped("metrics", "BASE_URL is not set: the public address is unknown")];
  }
  const answer = await fetchText(BASE_URL, "metrics");
  if (answer?.text.includes("signalbox_build_info")) {
    const fix = "Block /metrics and /chat/ at the proxy (docs/OPERATIONS.md).";
    return [warning("metrics", `${BASE_URL}/metrics is public`, fix)];
  }
  const detail = answer === null ? "the public address does not answer" : "not public";
  return [answer === null ? skipped("metrics", detail) : ok("metrics", detail)];
}
