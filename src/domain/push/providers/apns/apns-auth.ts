import { createPrivateKey } from "node:crypto";
import type { SecureContext } from "node:tls";
import readCredentials, { type ProviderToken } from "apn/lib/credentials";
import type { Clock } from "../../../../core/clock";
import type { PushEnvironment } from "../../channels/channel";
import type { ApnsCredentials } from "../../credentials/credentials";
import { tlsContext } from "../http/http2-sender";

/** Apple requires a new token at least once an hour, and at most every 20 minutes. */
const RENEW_MS = 50 * 60_000;
const RENEW_INTERVAL_MIN_MS = 20 * 60_000;

/** Authentication at Apple: a client certificate for the connection, or a token for each push. */
export interface ApnsAuth {
  secureContext: SecureContext;
  token: ApnsToken | null;
}

const readers = readCredentials({ logger: () => {} });

/**
 * The provider token sent with each push ("Establishing a token-based connection to APNs"): an ES256 JWT,
 * renewed before Apple considers it expired.
 */
export class ApnsToken {
  private issuedAt: number;

  constructor(
    private readonly token: ProviderToken,
    private readonly clock: Clock,
  ) {
    this.issuedAt = clock.now();
  }

  /** The current token. */
  current(): string {
    const age = this.age();
    // After the clock was set back, the token is from the future, which Apple refuses.
    if (age < 0 || age >= RENEW_MS) this.renew();
    return this.token.current;
  }

  /**
   * Renews a token that Apple considers expired. Keeps a young one: its replacement would be as old by
   * Apple's clock, and Apple refuses frequent renewals.
   */
  renewExpired(token: string): void {
    if (token === this.token.current && this.age() >= RENEW_INTERVAL_MIN_MS) this.renew();
  }

  private age(): number {
    return this.clock.now() - this.issuedAt;
  }

  private renew(): void {
    this.token.regenerate(this.token.generation);
    this.issuedAt = this.clock.now();
  }
}

/**
 * Prepares credentials for use.
 * @throws Error with a message for the owner: unreadable or mismatching keys, a certificate that has expired
 * or is for the other environment
 */
export function openApnsAuth(
  credentials: ApnsCredentials,
  environment: PushEnvironment,
  clock: Clock,
): ApnsAuth {
  if (credentials.kind === "token") {
    const { key, keyId, teamId } = credentials;
    checkKey(key);
    const token = readers.token({ key: Buffer.from(key), keyId, teamId });
    return { secureContext: secureContextOf(credentials.ca), token: new ApnsToken(token, clock) };
  }
  const { certificate, privateKey, passphrase } = credentials;
  checkCertificate(certificate, privateKey, passphrase, environment);
  const client = { cert: certificate, key: privateKey, passphrase };
  return { secureContext: secureContextOf(credentials.ca, client), token: null };
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
    const hasReason = error instanceof Error && /^certificate /.test(error.message);
    throw new Error(hasReason ? `the ${error.message}` : "the certificate cannot be read");
  }
}

function secureContextOf(
  ca: string | undefined,
  client?: Parameters<typeof tlsContext>[1],
): SecureContext {
  try {
    return tlsContext(ca, client);
  } catch {
    throw new Error("the certificate or its key cannot be read");
  }
}
