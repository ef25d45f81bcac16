import { timingSafeEqual } from "node:crypto";
import { isoSeconds } from "../../core/clock";
import { Fault } from "../../core/errors";
import { type Application, findApplication } from "../applications/applications";
import { consumeNonce } from "./nonce-queries";
import type { SessionDeps } from "./session-deps";
import {
  MANDATORY_PARAMETERS,
  type MandatoryValues,
  parseMandatoryValues,
  type RequestParameters,
  signatureBaseStrings,
  signatureMatches,
  signedParameterNames,
} from "./signature";

/** Maximum difference of a signed timestamp from the server's time, in seconds. */
export const TIMESTAMP_TOLERANCE_S = 60 * 60;

/** The signed part of a request that creates a session. */
export interface SignedRequest {
  signature: string;
  /** All parameters as the client sent them, including the four mandatory ones. */
  parameters: RequestParameters;
}

/** The verified values of a signed request. */
export interface VerifiedRequest extends Pick<MandatoryValues, "nonce" | "timestamp"> {
  application: Application;
}

/**
 * Verifies a signed request and consumes its nonce. The pair of timestamp and nonce is stored only after
 * the signature is verified. Every node then rejects the pair, also after a restart.
 * @param onApplication called with the application once the request has its auth key
 * @throws Fault INVALID on the wrong field: parameter, application, auth key, timestamp, signature or nonce
 */
export async function verifySignedRequest(
  deps: SessionDeps,
  { parameters, signature }: SignedRequest,
  onApplication?: (applicationId: number) => void,
): Promise<VerifiedRequest> {
  const { applicationId, authKey, nonce, timestamp } = parseMandatoryValues(parameters);
  const application = await findApplication(deps, applicationId);
  if (!equalsInConstantTime(application.authKey, authKey)) {
    throw Fault.field("authKey", "does not belong to this application");
  }
  onApplication?.(application.id);
  checkTimestamp(deps.clock.now(), timestamp);
  if (!signatureMatches(parameters, signature, application.secrets)) {
    throw Fault.field("signature", explainMismatch(parameters));
  }
  if (!(await consumeNonce(deps.store, application.id, timestamp, nonce))) {
    throw Fault.field("nonce", "has been used with this timestamp before; send a new one");
  }
  return { application, nonce, timestamp };
}

function checkTimestamp(now: number, timestamp: number): void {
  const server = Math.floor(now / 1000);
  const difference = timestamp - server;
  if (Math.abs(difference) <= TIMESTAMP_TOLERANCE_S) return;
  const direction = difference < 0 ? "behind" : "ahead of";
  throw Fault.field(
    "timestamp",
    `is ${Math.abs(difference)} seconds ${direction} the server's time, ` +
      `${server} (${isoSeconds(new Date(now))}); at most ${TIMESTAMP_TOLERANCE_S} are allowed`,
  );
}

/** Lists the expected parameters in signing order, without values, secrets or the expected signature. */
function explainMismatch(parameters: RequestParameters): string {
  const all = signedParameterNames(parameters);
  const lines = [MANDATORY_PARAMETERS.join("&")];
  const more = all.length > MANDATORY_PARAMETERS.length;
  const both = signatureBaseStrings(parameters).length > 1;
  if (more && both) lines.push(all.join("&"));
  return (
    "does not match. It is the HMAC-SHA1, in hexadecimal and keyed with the application's secret, " +
    `of name=value for these parameters in this order: ${lines.join("  or  ")}` +
    (more && !both
      ? ". Signing all parameters is not possible here: a value contains the name of one, as &name="
      : "")
  );
}

function equalsInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
