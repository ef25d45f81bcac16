import { stat } from "node:fs/promises";
import type { SecureContext } from "node:tls";
import type { Clock } from "../clock";
import { type Config, ConfigError } from "../config";
import type { Log } from "../log";
import { type Certificate, InvalidPemError, readCertificate } from "./pem";
import { loadOrCreateSelfSigned } from "./self-signed";

/** Interval between checks for changed files, in milliseconds. */
const CHECK_MS = 10_000;
/** How long before its expiry a certificate causes a warning, in milliseconds. */
export const EXPIRY_WARNING_MS = 14 * 86_400_000;

/** The part of the configuration that selects a certificate. */
export type CertificateConfig = Pick<
  Config,
  "TLS_CERT_FILE" | "TLS_KEY_FILE" | "DATA_DIR" | "CHAT_DOMAIN"
>;

/** The certificate of a running node. Open sockets are not affected when it changes. */
export interface LiveCertificate {
  /** For new TLS sockets. */
  readonly context: SecureContext;
  /** The current certificate. */
  readonly current: Pick<Certificate, "cert" | "key">;
  /** Registers a listener for a new certificate. */
  onChange(listener: () => void): void;
  /** Reads the files again. If they are invalid, logs it and keeps the current certificate. */
  reload(): Promise<void>;
  close(): void;
}

/** Loads the configured or the self-signed certificate. @throws InvalidPemError, Error */
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
  const { certificate, created } = await loadOrCreateSelfSigned(DATA_DIR, CHAT_DOMAIN, clock.now());
  if (created) log.info({ domain: CHAT_DOMAIN }, "created a self-signed TLS certificate");
  return certificate;
}

/** A fingerprint of the files that changes when one of them does. Symbolic links are followed. */
async function fileStates(paths: string[]): Promise<string> {
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
 * Opens TLS_CERT_FILE and TLS_KEY_FILE or, if unset, the self-signed certificate in the data folder, and
 * reloads the certificate when the files change.
 * @throws ConfigError if a file is invalid, the key does not match, or the data folder is not writable
 */
export async function openCertificate(
  config: CertificateConfig,
  { clock, log, checkMs = CHECK_MS }: { clock: Clock; log: Log; checkMs?: number },
): Promise<LiveCertificate> {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = config;
  const paths = [TLS_CERT_FILE, TLS_KEY_FILE].filter((path) => path !== undefined);
  const listeners: (() => void)[] = [];
  let knownStates = await fileStates(paths);
  let current = await load(config, clock, log).catch((error: unknown) => {
    if (error instanceof InvalidPemError) throw new ConfigError([describePemError(config, error)]);
    throw new ConfigError([
      `DATA_DIR cannot store the self-signed certificate (${(error as Error).message}): set TLS_CERT_FILE and TLS_KEY_FILE, or set the TLS ports to off`,
    ]);
  });

  const reload = async () => {
    try {
      knownStates = await fileStates(paths);
      const next = await load(config, clock, log);
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      for (const listener of listeners) listener();
      log.info({ expires: next.x509.validTo }, "the TLS certificate has been replaced");
    } catch (error) {
      // The files are replaced one by one, so certificate and key may not match for a moment.
      const reason =
        error instanceof InvalidPemError
          ? describePemError(config, error)
          : (error as Error).message;
      log.warn({ reason }, "the TLS certificate could not be reloaded; keeping the current one");
    }
  };
  let busy = false;
  const checkFiles = async () => {
    if (busy) return;
    busy = true;
    const expiring = paths.length === 0 && current.expiresAt - clock.now() < EXPIRY_WARNING_MS;
    if (expiring || (await fileStates(paths)) !== knownStates) await reload();
    busy = false;
  };
  const timer = setInterval(() => void checkFiles(), checkMs).unref();
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

/** Describes an invalid file by the name of its configuration variable. */
export function describePemError(
  config: CertificateConfig,
  { file, message }: InvalidPemError,
): string {
  const name = file === "certificate" ? "TLS_CERT_FILE" : "TLS_KEY_FILE";
  return `${name} ${message} (it is ${JSON.stringify(config[name])})`;
}
