import { stat } from "node:fs/promises";
import type { SecureContext } from "node:tls";
import type { Clock } from "../clock";
import { type Config, ConfigError } from "../config";
import type { Log } from "../log";
import { BadPem, type Certificate, readCertificate } from "./pem";
import { selfSigned } from "./self-signed";

/** Milliseconds between two looks at whether the files have changed. */
const LOOK_MS = 10_000;
/** Before it ends by so much, a certificate is told of. */
export const EXPIRY_WARNING_MS = 14 * 86_400_000;

/** What of the configuration names a certificate. */
export type CertificateConfig = Pick<
  Config,
  "TLS_CERT_FILE" | "TLS_KEY_FILE" | "DATA_DIR" | "CHAT_DOMAIN"
>;

/** The certificate of a running node. It changes while sockets that were opened with it go on. */
export interface LiveCertificate {
  /** For TLS sockets from now on. */
  readonly context: SecureContext;
  /** The certificate as it now is. */
  readonly current: Pick<Certificate, "cert" | "key">;
  /** Calls when there is another. */
  onChange(listener: () => void): void;
  /** Reads it again; one that is bad is logged, and the one before stays. */
  reload(): Promise<void>;
  close(): void;
}

/** The configured certificate, or the self-signed one of the data folder. @throws BadPem, Error */
async function load(config: CertificateConfig, clock: Clock, log: Log): Promise<Certificate> {
  const { TLS_CERT_FILE, TLS_KEY_FILE, DATA_DIR, CHAT_DOMAIN } = config;
  if (TLS_CERT_FILE !== undefined && TLS_KEY_FILE !== undefined) {
    const certificate = await readCertificate(TLS_CERT_FILE, TLS_KEY_FILE);
    const left = certificate.expiresAt - clock.now();
    const expires = certificate.x509.validTo;
    if (left < 0) log.error({ expires }, "the TLS certificate has expired");
    else if (left < EXPIRY_WARNING_MS) log.warn({ expires }, "the TLS certificate expires soon");
    return certificate;
  }
  const { certificate, made } = await selfSigned(DATA_DIR, CHAT_DOMAIN, clock.now());
  if (made) log.info({ domain: CHAT_DOMAIN }, "a self-signed TLS certificate was made");
  return certificate;
}

/** What tells one state of the files from another; links are followed, as certificates are often linked. */
async function stateOf(paths: string[]): Promise<string> {
  const states = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
        () => "none",
      ),
    ),
  );
  return states.join(", ");
}

/**
 * Opens TLS_CERT_FILE and TLS_KEY_FILE, or, where none are named, a self-signed certificate in the data
 * folder. It looks for changes of the files itself.
 * @throws ConfigError for files that are bad or do not fit each other, and for a folder that takes none
 */
export async function openCertificate(
  config: CertificateConfig,
  { clock, log, lookMs = LOOK_MS }: { clock: Clock; log: Log; lookMs?: number },
): Promise<LiveCertificate> {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = config;
  const paths = [TLS_CERT_FILE, TLS_KEY_FILE].filter((path) => path !== undefined);
  const listeners: (() => void)[] = [];
  let seen = await stateOf(paths);
  let current = await load(config, clock, log).catch((error: unknown) => {
    if (error instanceof BadPem) throw new ConfigError([problemOf(config, error)]);
    throw new ConfigError([
      `DATA_DIR takes no self-signed certificate (${(error as Error).message}): set TLS_CERT_FILE and TLS_KEY_FILE, or set the ports that speak TLS to off`,
    ]);
  });

  const reload = async () => {
    try {
      seen = await stateOf(paths);
      const next = await load(config, clock, log);
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      for (const listener of listeners) listener();
      log.info({ expires: next.x509.validTo }, "another TLS certificate is in use");
    } catch (error) {
      // Files are replaced one by one, so they may not fit each other for a moment.
      const reason = error instanceof BadPem ? problemOf(config, error) : (error as Error).message;
      log.warn({ reason }, "the TLS certificate could not be read again; the one before stays");
    }
  };
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    const ends = paths.length === 0 && current.expiresAt - clock.now() < EXPIRY_WARNING_MS;
    if (ends || (await stateOf(paths)) !== seen) await reload();
    busy = false;
  };
  const timer = setInterval(() => void look(), lookMs).unref();
  return {
    get context() {
      return current.context;
    },
    get current() {
      return current;
    },
    onChange: (listener) => void listeners.push(listener),
    reload,
    close: () => clearInterval(timer),
  };
}

/** What is wrong, in the words of the configuration. */
export function problemOf(config: CertificateConfig, { file, message }: BadPem): string {
  const name = file === "certificate" ? "TLS_CERT_FILE" : "TLS_KEY_FILE";
  return `${name} ${message} (it is ${JSON.stringify(config[name])})`;
}
