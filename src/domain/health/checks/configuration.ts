import { isLoopback } from "../../../core/client-address";
import { type Config, misspelledVariables } from "../../../core/config";
import { turnHost } from "../../calls/ice/ice-servers";
import { type Finding, failure, ok, warning } from "./finding";

const CHECK = "configuration";

/** One finding for each mistake of an invalid configuration. */
export function configurationProblems(problems: string[]): Finding[] {
  return problems.map((text) =>
    failure(CHECK, text, "Correct the environment variable; see docs/CONFIG.md."),
  );
}

/** Warns of variables that are probably misspelled settings. */
export function checkSpelling(
  environment: Record<string, string | undefined> | undefined,
): Finding[] {
  return misspelledVariables(environment).map(({ given, meant }) =>
    warning(CHECK, `${given} is not a setting; did you mean ${meant}?`, `Rename it to ${meant}.`),
  );
}

/** Warns of settings of a valid configuration that fail for clients on other machines. */
export function checkConfiguration(config: Config, misspelled: Finding[]): Finding[] {
  const local = [
    ...(config.BASE_URL === undefined ? ["BASE_URL"] : []),
    ...(config.CHAT_URL === undefined ? ["CHAT_URL"] : []),
    ...(config.CHAT_DOMAIN === "localhost" ? ["CHAT_DOMAIN"] : []),
    ...(turnHost(config) === "localhost" ? ["TURN_HOST"] : []),
  ];
  const findings = [...misspelled];
  if (!isLoopback(config.HOST) && local.length > 0) {
    findings.push(
      warning(
        CHECK,
        `HOST accepts other machines, but clients get addresses that only work on this one: ${local.join(", ")} ${local.length > 1 ? "are" : "is"} not set`,
        "Set them to the addresses that clients and links in mails use.",
      ),
    );
  }
  if (!isLoopback(config.HOST) && !config.XMPP_TRUSTED_PROXY) {
    findings.push(
      warning(
        CHECK,
        "HOST accepts other machines without TLS: XMPP_WS_PORT refuses passwords, and tokens are sent in cleartext",
        "Put a TLS-terminating proxy in front, and set XMPP_TRUSTED_PROXY and TRUST_PROXY.",
      ),
    );
  }
  return findings.length > 0 ? findings : [ok(CHECK, "no mistakes")];
}
