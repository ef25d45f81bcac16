import { isLoopback } from "../../../core/client-address";
import type { Config } from "../../../core/config";
import { describeUnknown, type UnknownVariable } from "../../../core/unknown-variables";
import { turnHost } from "../../calls/ice/ice-servers";
import { type Finding, failure, ok, warning } from "./finding";

const CHECK = "configuration";

/** One finding for each mistake of an invalid configuration. */
export function configurationProblems(problems: string[]): Finding[] {
  return problems.map((text) =>
    failure(CHECK, text, "Correct the environment variable; see docs/CONFIG.md."),
  );
}

/** One finding for each variable that is probably meant as a setting. */
export function unknownVariableProblems(variables: readonly UnknownVariable[]): Finding[] {
  return variables.map((variable) =>
    failure(
      CHECK,
      describeUnknown(variable),
      variable.meant === null
        ? `Unset ${variable.given}, or correct its name; see docs/CONFIG.md.`
        : `Rename it to ${variable.meant}.`,
    ),
  );
}

/** Finds unknown variables, and settings of a valid configuration that fail for clients on other machines. */
export function checkConfiguration(config: Config): Finding[] {
  const local = [
    ...(config.BASE_URL === undefined ? ["BASE_URL"] : []),
    ...(config.CHAT_URL === undefined ? ["CHAT_URL"] : []),
    ...(config.CHAT_DOMAIN === "localhost" ? ["CHAT_DOMAIN"] : []),
    ...(turnHost(config) === "localhost" ? ["TURN_HOST"] : []),
  ];
  const findings = unknownVariableProblems(config.unknownVariables);
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
