import { isLoopback } from "../../../core/client-address";
import { systemClock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { describePemError, EXPIRY_WARNING_MS } from "../../../core/tls/certificate";
import { type Certificate, InvalidPemError, readCertificate } from "../../../core/tls/pem";
import { type Finding, failure, ok, pluralize, skipped, warning } from "./finding";

const CHECK = "certificate";
const DAY_MS = 86_400_000;
const RENEW = "Renew it; a running server reloads the files by itself.";

/** Checks that the chat endpoint's certificate is readable, unexpired, and issued for the chat domain. */
export async function checkCertificate(config: Config): Promise<Finding[]> {
  const { XMPP_WSS_PORT, XMPP_TCP_PORT, XMPP_TLS_PORT, CONFERENCE_WSS_PORT } = config;
  const ports = [XMPP_WSS_PORT, XMPP_TCP_PORT, XMPP_TLS_PORT, CONFERENCE_WSS_PORT];
  if (ports.every((port) => port === null)) {
    return [skipped(CHECK, "no TLS port is configured")];
  }
  const { TLS_CERT_FILE, TLS_KEY_FILE, CHAT_DOMAIN } = config;
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) {
    const detail = `self-signed for ${CHAT_DOMAIN}, in DATA_DIR`;
    if (isLoopback(config.HOST)) return [ok(CHECK, detail)];
    const fix = "Set TLS_CERT_FILE and TLS_KEY_FILE to a certificate that clients trust.";
    return [warning(CHECK, `${detail}: clients on other machines do not trust it`, fix)];
  }
  try {
    return [checkValidity(await readCertificate(TLS_CERT_FILE, TLS_KEY_FILE), CHAT_DOMAIN)];
  } catch (error) {
    if (!(error instanceof InvalidPemError)) throw error;
    return [failure(CHECK, describePemError(config, error), "Correct the file or the variable.")];
  }
}

function checkValidity({ x509, expiresAt }: Certificate, domain: string): Finding {
  const left = expiresAt - systemClock.now();
  const days = Math.floor(Math.abs(left) / DAY_MS);
  if (left <= 0) return failure(CHECK, `it expired ${pluralize(days, "day")} ago`, RENEW);
  if (left < EXPIRY_WARNING_MS) {
    return warning(CHECK, `it expires in ${pluralize(days, "day")}`, RENEW);
  }
  if (x509.checkHost(domain) === undefined) {
    const fix = "Use a certificate issued for CHAT_DOMAIN, the name that clients verify.";
    return warning(CHECK, `it is not issued for ${domain}`, fix);
  }
  return ok(CHECK, `for ${domain}, valid for another ${pluralize(days, "day")}`);
}
