import { createPrivateKey } from "node:crypto";
import type { SecureContext } from "node:tls";
import readCredentials, { type ProviderToken } from "apn/lib/credentials";
import type { Clock } from "../../core/clock";
import type { PushEnvironment } from "../channel";
import type { ApnsCredentials } from "../credential/credentials";
import { trusting } from "./wire/http2-sender";

/** Apple wants a token renewed at least once an hour, and at most every 20 minutes. */
const RENEW_MS = 50 * 60_000;
const RENEW_LEAST_MS = 20 * 60_000;

/** What proves an application to Apple: the certificate of the connection, or a token with each push. */
export interface ApnsProof {
  secureContext: SecureContext;
  token: ApnsToken | null;
}

const readers = readCredentials({ logger: () => {} });

/**
 * The token that goes with each push ("Establishing a token-based connection to APNs"): an ES256 JWT,
 * made anew before Apple would call it expired.
 */
export class ApnsToken {
  private madeAt: number;

  constructor(
    private readonly made: ProviderToken,
    private readonly clock: Clock,
  ) {
    this.madeAt = clock.now();
  }

  /** The token as of now. */
  current(): string {
    const age = this.age();
    // A clock that was set back leaves a token from the future, which is refused.
    if (age < 0 || age >= RENEW_MS) this.renew();
    return this.made.current;
  }

  /**
   * Takes note that Apple called a token expired. One that is young is kept: another would be just as
   * old by Apple's clock, and too many renewals are refused as well.
   */
  expired(token: string): void {
    if (token === this.made.current && this.age() >= RENEW_LEAST_MS) this.renew();
  }

  private age(): number {
    return this.clock.now() - this.madeAt;
  }

  private renew(): void {
    this.made.regenerate(this.made.generation);
    this.madeAt = this.clock.now();
  }
}

/**
 * Makes credentials ready for use.
 * @throws Error with a message that may be shown: keys that cannot be read or that do not belong
 * together, a certificate that has expired or is of the other environment
 */
export function proveToApns(
  credentials: ApnsCredentials,
  environment: PushEnvironment,
  clock: Clock,
): ApnsProof {
  if (credentials.kind === "token") {
    const { key, keyId, teamId } = credentials;
    checkKey(key);
    const made = readers.token({ key: Buffer.from(key), keyId, teamId });
    return { secureContext: trustGiven(credentials.ca), token: new ApnsToken(made, clock) };
  }
  const { certificate, privateKey, passphrase } = credentials;
  checkCertificate(certificate, privateKey, passphrase, environment);
  const own = { cert: certificate, key: privateKey, passphrase };
  return { secureContext: trustGiven(credentials.ca, own), token: null };
}

function checkKey(key: string): void {
  let details: ReturnType<typeof createPrivateKey>;
  try {
    details = createPrivateKey(key);
  } catch {
    throw new Error("the key cannot be read");
  }
  if (details.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new Error("the key is not on the curve P-256");
  }
}

function checkCertificate(
  certificate: string,
  privateKey: string,
  passphrase: string | undefined,
  environment: PushEnvironment,
): void {
  try {
    readers.certificate({
      cert: Buffer.from(certificate),
      key: Buffer.from(privateKey),
      passphrase,
      production: environment === "production",
    });
  } catch (error) {
    const told = error instanceof Error && /^certificate /.test(error.message);
    throw new Error(told ? `the ${error.message}` : "the certificate cannot be read");
  }
}

function trustGiven(ca: string | undefined, own?: Parameters<typeof trusting>[1]): SecureContext {
  try {
    return trusting(ca, own);
  } catch {
    throw new Error("the certificate or its key cannot be read");
  }
}
