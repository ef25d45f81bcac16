import { systemClock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { errorMessage } from "../../../platform/store/error-properties";
import { iceServers } from "../../calls/ice/ice-servers";
import { type Finding, failure, ok, skipped } from "./finding";
import { type Exchange, type IceAddress, openIceConnection } from "./turn-connection";
import { bindingRequest, refreshRequest } from "./turn-message";

const CHECK = "turn";
/** Maximum number of URLs that are checked. */
const URLS_MAX = 10;
const PORT = 3_478;
const TLS_PORT = 5_349;
/** Error codes (RFC 8489 section 14.8, RFC 8656 section 19). */
const UNAUTHENTICATED = 401;
const ALLOCATION_MISMATCH = 437;

/** Nobody: the check has credentials of its own. */
const NOBODY = { userId: 0, applicationId: 0 };

/**
 * Checks that each STUN and TURN server of iceServers answers, and that TURN servers accept credentials of TURN_SECRET.
 * For this it asks to end an allocation that does not exist, so that no relay is allocated.
 */
export async function checkTurn(config: Config): Promise<Finding[]> {
  const [server] = iceServers(config, NOBODY, systemClock.now());
  if (!server) {
    return [skipped(CHECK, "neither TURN_URLS nor TURN_SECRET is set: clients get no servers")];
  }
  const { username, credential } = server;
  const credentials = username !== null && credential !== null ? { username, credential } : null;
  const findings = await Promise.all(
    server.urls.slice(0, URLS_MAX).map((url) => checkUrl(url, credentials)),
  );
  const more = server.urls.length - URLS_MAX;
  if (more > 0) findings.push(skipped(CHECK, `${more} more URLs are not checked`));
  return findings;
}

async function checkUrl(
  url: string,
  credentials: { username: string; credential: string } | null,
): Promise<Finding> {
  const address = parseIceUrl(url);
  const connection = openIceConnection(address);
  try {
    if (!address.turn || credentials === null) {
      const { errorCode } = await connection.exchange(bindingRequest());
      if (errorCode !== 0) throw new Error(`it refuses requests (${errorCode})`);
      return ok(CHECK, `${url} answers`);
    }
    return (await acceptsCredentials(connection.exchange, credentials))
      ? ok(CHECK, `${url} accepts credentials of TURN_SECRET`)
      : failure(
          CHECK,
          `${url} refuses credentials of TURN_SECRET`,
          "Set the same secret here and as static-auth-secret of the TURN server; compare the clocks.",
        );
  } catch (error) {
    const fix = "Start the TURN server, or correct TURN_URLS or TURN_HOST.";
    return failure(CHECK, `${url} cannot be used: ${errorMessage(error)}`, fix);
  } finally {
    connection.close();
  }
}

/** Whether a TURN server accepts credentials. @throws Error if it is not one */
async function acceptsCredentials(
  exchange: Exchange,
  { username, credential: password }: { username: string; credential: string },
): Promise<boolean> {
  const { errorCode, realm, nonce } = await exchange(refreshRequest(null));
  if (errorCode === ALLOCATION_MISMATCH) throw new Error("it requires no credentials");
  if (errorCode !== UNAUTHENTICATED || !realm || !nonce) {
    throw new Error(`it does not answer like a TURN server (${errorCode})`);
  }
  const answer = await exchange(refreshRequest({ username, password, realm, nonce }));
  return answer.errorCode === ALLOCATION_MISMATCH || answer.errorCode === 0;
}

/** Parses a URL that the configuration has validated. */
function parseIceUrl(url: string): IceAddress {
  const { protocol, hostname, port, searchParams } = new URL(url.replace(":", "://"));
  const secure = protocol === "stuns:" || protocol === "turns:";
  const transport = secure ? "tls" : searchParams.get("transport") === "tcp" ? "tcp" : "udp";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? TLS_PORT : PORT) : Number(port),
    transport,
    turn: protocol.startsWith("turn"),
  };
}
