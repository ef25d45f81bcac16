import { Fault } from "../core/errors";
import type { Json, Signal, XmlElement } from "./signal";

/**
 * How large a signal may be. What a chat client sends grows when it is written again, up to six times:
 * an LF of a session description becomes `&#13;` and LF, a `"` in an attribute becomes `&quot;`. So a
 * signal may be six times XMPP_STANZA_LIMIT as a stanza, from whichever door, and all that lies before a
 * chat client holds one of that size:
 *
 * | bound | bytes | where |
 * |---|---|---|
 * | a stanza that a client sends | 64 KiB, XMPP_STANZA_LIMIT | xmpp/stream.ts; the files of deploy/ for a chat server |
 * | a signal, or another stanza that is passed on | 384 KiB, six times as much | here, for every door |
 * | a copy that a chat server makes | as much, and 2 KiB for its wrapping | xmpp/component/link.ts |
 * | what waits for a chat server | 8 MiB, or one signal | xmpp/component/courier.ts |
 * | a stanza that Prosody takes of us | 512 KiB; ejabberd has no bound | deploy/prosody/prosody.cfg.lua |
 * | what waits for a client's acknowledgement | 768 KiB: one signal more where half is free | xmpp/chat.ts |
 * | what waits for a client that does not read | 1 MiB: all that, sent again, and more | xmpp/chat.ts |
 */

/** Bytes that one byte of a stanza becomes at most when it is written again. */
const GROWTH = 6;

/** What the tags of an element, or an attribute, take beside the texts in them, at most. */
const MARKUP = 40;
/** What a message and its lists take beside the texts in them, at most. */
const ENVELOPE = 1_024;

/** Bytes of a signal as a stanza, at most. @param stanzaBytes XMPP_STANZA_LIMIT */
export function signalBytes(stanzaBytes: number): number {
  return GROWTH * stanzaBytes;
}

/** The bound of what is passed on. */
export interface SizeRule {
  /** @throws Fault TOO_LARGE for a signal whose stanza would be longer */
  checkSignal(signal: Signal): void;
  /** @throws Fault TOO_LARGE for a stanza that is longer */
  checkStanza(xml: string): void;
}

/**
 * The rule for chat clients that may send stanzas of so many bytes.
 * @param write a signal as a stanza; asked only for one that may be too long, and is not known to be
 */
export function sizeRule(stanzaBytes: number, write: (signal: Signal) => string): SizeRule {
  const limit = signalBytes(stanzaBytes);
  const refuse = () => {
    throw new Fault("TOO_LARGE", `Too large: the stanza would be longer than ${limit} bytes`);
  };
  const checkStanza = (xml: string) => {
    if (xml.length > limit || Buffer.byteLength(xml) > limit) refuse();
  };
  return {
    checkStanza,
    checkSignal(signal) {
      const { units, parts } = extentOf(signal);
      if (GROWTH * units + MARKUP * parts + ENVELOPE <= limit) return;
      // Each part takes a byte at least.
      if (units + parts > limit) refuse();
      // A copy: whoever writes may remember what was written, and the signal may yet be changed.
      checkStanza(write({ ...signal }));
    },
  };
}

/** UTF-16 units of the texts of something, and of how many parts it is. */
interface Extent {
  units: number;
  parts: number;
}

/** A signal measured without a look at its characters: most are far below the bound. */
function extentOf(signal: Signal): Extent {
  const extent: Extent = { units: 0, parts: 0 };
  const { id, lang, type, sessionId, callType, sdp, platform, callerId } = signal;
  addTexts(extent, [id, lang, type, sessionId, callType, sdp, platform, callerId]);
  addTexts(extent, [signal.from.resource, signal.to.resource]);
  addTexts(extent, signal.opponentIds ?? []);
  for (const { sdpMLineIndex, sdpMid, candidate, extra } of signal.iceCandidates ?? []) {
    addTexts(extent, [sdpMLineIndex, sdpMid, candidate]);
    addElements(extent, extra);
  }
  addJson(extent, "userInfo", signal.userInfo ?? null);
  addJson(extent, "", signal.parameters ?? null);
  addElements(extent, signal.extra);
  addElements(extent, signal.siblings);
  return extent;
}

function addTexts(extent: Extent, texts: (string | undefined)[]): void {
  for (const text of texts) extent.units += text?.length ?? 0;
  extent.parts += texts.length;
}

function addElements(extent: Extent, elements: XmlElement[] = []): void {
  for (const { name, namespace, attributes, text, children } of elements) {
    addTexts(extent, [name, namespace, text]);
    for (const key in attributes) addTexts(extent, [key, attributes[key]]);
    addElements(extent, children);
  }
}

function addJson(extent: Extent, name: string, value: Json): void {
  if (Array.isArray(value)) for (const item of value) addJson(extent, name, item);
  else if (typeof value === "object" && value !== null) {
    addTexts(extent, [name]);
    for (const [key, inner] of Object.entries(value)) addJson(extent, key, inner);
  } else addTexts(extent, [name, String(value)]);
}
