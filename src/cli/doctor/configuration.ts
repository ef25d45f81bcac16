import { turnHost } from "../../calls/ice/ice-servers";
import { isLoopback } from "../../core/client-address";
import type { Config } from "../../core/config";
import { type Finding, ok, warning, wrong } from "./finding";

const CHECK = "configuration";

/** What a configuration that cannot be read has of mistakes, each by itself. */
export function configurationProblems(problems: string[]): Finding[] {
  return problems.map((text) =>
    wrong(CHECK, text, "Correct the variable in the environment; docs/CONFIG.md lists all."),
  );
}

/** A configuration without mistakes, and what clients elsewhere would trip over. */
export function checkConfiguration(config: Config): Finding[] {
  const local = [
    ...(config.BASE_URL === undefined ? ["BASE_URL"] : []),
    ...(config.CHAT_URL === undefined ? ["CHAT_URL"] : []),
    ...(config.CHAT_DOMAIN === "localhost" ? ["CHAT_DOMAIN"] : []),
    ...(turnHost(config) === "localhost" ? ["TURN_HOST"] : []),
  ];
  const findings: Finding[] = [];
  if (!isLoopback(config.HOST) && local.length > 0) {
    findings.push(
      warning(
        CHECK,
        `HOST lets others in, and they are told addresses of this machine alone: ${local.join(", ")} ${local.length > 1 ? "are" : "is"} not set`,
        "Set them to what clients and the links in mails are to use.",
      ),
    );
  }
  if (!isLoopback(config.HOST) && !config.XMPP_TRUSTED_PROXY) {
    findings.push(
      warning(
        CHECK,
        "HOST lets others in without TLS: XMPP_WS_PORT takes no passwords then, and tokens travel in clear",
        "Put a proxy that ends TLS in front, and set XMPP_TRUSTED_PROXY and TRUST_PROXY.",
      ),
    );
  }
  return findings.length > 0 ? findings : [ok(CHECK, "no mistakes")];
}
