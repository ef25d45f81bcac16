import { type SizeRule, sizeRule } from "../calls/signal-size";
import type { Config } from "../core/config";
import { encodeSignal } from "./stanza";

/** How large what is passed on to chat clients may be. */
export function stanzaSizes(config: Pick<Config, "XMPP_STANZA_LIMIT" | "CHAT_DOMAIN">): SizeRule {
  return sizeRule(config.XMPP_STANZA_LIMIT, (signal) => encodeSignal(signal, config.CHAT_DOMAIN));
}
