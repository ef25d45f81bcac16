import { timingSafeEqual } from "node:crypto";
import { isoSeconds } from "../../core/clock";
import { Fault } from "../../core/errors";
import { type Application, findApplication } from "../application/applications";
import type { Identity } from "../identity";
import { MANDATORY, type Parameters, signatureMatches, signedNames } from "./signature";

/** Seconds that a signed timestamp may differ from the server's time (interface.md "Limits"). */
export const TIMESTAMP_TOLERANCE = 60 * 60;

/** The signed part of a request that creates a session. */
export interface SignedRequest {
  applicationId: number;
  authKey: string;
  /** Unix seconds. */
  timestamp: number;
  nonce: number;
  signature: string;
  /** Everything that may have been signed, as the client sent it. */
  parameters: Parameters;
}

const CONSUME = {
  name: "consume_nonce",
  text: `INSERT INTO nonces (application_id, ts, nonce) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING RETURNING 1 AS one`,
};

/**
 * Checks a signed request and uses up its nonce; the pair of timestamp and nonce is stored only once
 * the signature is right, and refused from then on, by every node and after a restart.
 * @throws Fault INVALID that names the wrong part: application, auth key, clock, signature or nonce
 */
export async function checkSigned(
  identity: Identity,
  request: SignedRequest,
): Promise<Application> {
  const application = await findApplication(identity, request.applicationId);
  if (!equalText(application.authKey, request.authKey)) {
    throw Fault.field("authKey", "does not belong to this application");
  }
  checkClock(identity.clock.now(), request.timestamp);
  if (!signatureMatches(request.parameters, request.signature, application.secrets)) {
    throw Fault.field("signature", explain(request.parameters));
  }
  const fresh = await identity.store.query(CONSUME, [
    application.id,
    request.timestamp,
    request.nonce,
  ]);
  if (fresh.length === 0) {
    throw Fault.field("nonce", "has been used with this timestamp before; send a new one");
  }
  return application;
}

function checkClock(now: number, timestamp: number): void {
  const server = Math.floor(now / 1000);
  const difference = timestamp - server;
  if (Math.abs(difference) <= TIMESTAMP_TOLERANCE) return;
  const direction = difference < 0 ? "behind" : "ahead of";
  throw Fault.field(
    "timestamp",
    `is ${Math.abs(difference)} seconds ${direction} the server's time, ` +
      `${server} (${isoSeconds(new Date(now))}); at most ${TIMESTAMP_TOLERANCE} are allowed`,
  );
}

/** Names what was signed, in order; never a value, a secret or an expected signature. */
function explain(parameters: Parameters): string {
  const all = signedNames(parameters);
  const lines = [MANDATORY.join("&")];
  if (all.length > MANDATORY.length) lines.push(all.join("&"));
  return (
    "does not match. It is the HMAC-SHA1, in hexadecimal and keyed with the application's secret, " +
    `of name=value for these parameters in this order: ${lines.join("  or  ")}`
  );
}

function equalText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
