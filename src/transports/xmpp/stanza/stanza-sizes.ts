import type { Config } from "../../../core/config";
import { type SignalSizeLimit, signalSizeLimit } from "../../../domain/calls/signals/signal-size";
import { encodeSignal } from "./stanza";

/** The size limit of signals, measured as stanzas. */
export function stanzaSizes(
  config: Pick<Config, "XMPP_STANZA_LIMIT" | "CHAT_DOMAIN">,
): SignalSizeLimit {
  return signalSizeLimit(config.XMPP_STANZA_LIMIT, (signal) =>
    encodeSignal(signal, config.CHAT_DOMAIN),
  );
}
