import { Fault } from "../../../core/errors";
import { measureElements, measureJson, measureTexts, type TextSize } from "./field-kinds";
import type { Signal } from "./signal";
import { SIGNAL_FIELDS } from "./signal-fields";

/**
 * The maximum size of a signal. A chat client's stanza may grow up to six times when it is written again: an
 * LF of a session description becomes `&#13;` and LF, a `"` in an attribute becomes `&quot;`. A signal of any
 * protocol may therefore be six times XMPP_STANZA_LIMIT as a stanza, and every buffer on the way to a chat
 * client holds one of that size:
 *
 * | limit of | size | where |
 * |---|---|---|
 * | a stanza from a client | 64 KiB, XMPP_STANZA_LIMIT | src/transports/xmpp/; deploy/ for a chat server |
 * | a signal, or another routed stanza | 384 KiB, six times as much | here, for all protocols |
 * | a copy forwarded by a chat server | 384 KiB, and 2 KiB for its wrapper | src/transports/xmpp/component/ |
 * | stanzas queued for a chat server | 8 MiB, or one signal | src/transports/xmpp/component/ |
 * | a stanza that Prosody accepts from us | 512 KiB; ejabberd has no limit | deploy/prosody/prosody.cfg.lua |
 * | unacknowledged stanzas of a client | 768 KiB: one more signal while half is free | src/transports/xmpp/ |
 * | unread output of a client | 1 MiB: the above, sent again, and more | src/transports/xmpp/ |
 */

/** Maximum growth of a byte when a stanza is written again. */
const GROWTH = 6;

/** Maximum markup of an element or attribute beside its texts, in bytes. */
const MARKUP = 40;
/** Maximum markup of a message and its lists beside their texts, in bytes. */
const ENVELOPE = 1_024;

/** Maximum size of a signal as a stanza, in bytes. @param stanzaBytes XMPP_STANZA_LIMIT */
export function maxSignalBytes(stanzaBytes: number): number {
  return GROWTH * stanzaBytes;
}

/** Enforces the maximum size of signals and stanzas. */
export interface SignalSizeLimit {
  /** @throws Fault TOO_LARGE for a signal whose stanza would exceed the limit */
  checkSignal(signal: Signal): void;
  /** @throws Fault TOO_LARGE for a stanza that exceeds the limit */
  checkStanza(xml: string): void;
}

/**
 * Creates the limit that follows from the maximum stanza of a chat client.
 * @param stanzaBytes XMPP_STANZA_LIMIT
 * @param write encodes a signal as a stanza; called only if the estimate is inconclusive
 */
export function signalSizeLimit(
  stanzaBytes: number,
  write: (signal: Signal) => string,
): SignalSizeLimit {
  const limit = maxSignalBytes(stanzaBytes);
  const refuse = () => {
    throw new Fault("TOO_LARGE", `Too large: the stanza would be longer than ${limit} bytes`);
  };
  const checkStanza = (xml: string) => {
    if (xml.length > limit || Buffer.byteLength(xml) > limit) refuse();
  };
  return {
    checkStanza,
    checkSignal(signal) {
      const { codeUnits, texts } = measure(signal);
      if (GROWTH * codeUnits + MARKUP * texts + ENVELOPE <= limit) return;
      // Each part takes at least one byte.
      if (codeUnits + texts > limit) refuse();
      // A copy, since the writer caches the stanza by object and the signal may still change.
      checkStanza(write({ ...signal }));
    },
  };
}

/** Measures a signal without looking at its characters; most signals are far below the limit. */
function measure(signal: Signal): TextSize {
  const size: TextSize = { codeUnits: 0, texts: 0 };
  measureTexts(size, [signal.id, signal.type, signal.from.resource, signal.to.resource]);
  if ("stanza" in signal) {
    const { params, before = [], after = [], attributes } = signal.stanza;
    measureElements(size, [
      { name: "message", attributes, children: [params, ...before, ...after] },
    ]);
    return size;
  }
  for (const field of SIGNAL_FIELDS) {
    const value = signal[field.key];
    if (value !== undefined) field.measure(size, value as never);
  }
  measureJson(size, "", signal.parameters ?? null);
  measureElements(size, signal.extra);
  return size;
}
