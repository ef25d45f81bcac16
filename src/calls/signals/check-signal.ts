import { Fault } from "../../core/errors";
import type { Signal, XmlElement } from "./signal";
import { checkUserInfo } from "./user-info";
import { ATTRIBUTES, checkAttributes, checkElement, checkText } from "./xml-rules";

/** Attributes of a message that come from the signal's own fields, or that declare its namespace. */
const RESERVED = new Set(["from", "to", "id", "type", "xml:lang", "xmlns"]);

function checkEntries(field: string, entries: XmlElement[]): void {
  for (const entry of entries) {
    if (entry.name !== ATTRIBUTES) {
      checkElement(field, entry);
      continue;
    }
    const attributes = entry.attributes ?? {};
    checkAttributes(field, attributes);
    const reserved = Object.keys(attributes).find((name) => RESERVED.has(name));
    if (reserved !== undefined) throw Fault.field(field, `must not have the attribute ${reserved}`);
  }
}

/**
 * Checks that a signal can be written as a stanza: its characters, names and depth.
 * @throws Fault INVALID on the field that cannot be written
 */
export function checkSignal(signal: Signal): void {
  const { id, type, sessionId, callType, sdp, platform, callerId, lang } = signal;
  const texts = { id, type, callId: sessionId, callType, sdp, platform, callerId, lang };
  // The address is sent to a chat server unescaped.
  if (signal.to.resource !== undefined) checkText("to.device", signal.to.resource);
  for (const [field, text] of Object.entries(texts)) if (text !== undefined) checkText(field, text);
  for (const text of signal.opponentIds ?? []) checkText("opponentIds", text);
  for (const { sdpMLineIndex, sdpMid, candidate, extra } of signal.iceCandidates ?? []) {
    for (const text of [sdpMLineIndex, sdpMid, candidate]) checkText("iceCandidates", text ?? "");
    for (const entry of extra) checkElement("iceCandidates", entry);
  }
  if (signal.userInfo) checkUserInfo(signal.userInfo);
  if (signal.parameters) checkUserInfo(signal.parameters, "parameters");
  checkEntries("extra", signal.extra);
  checkEntries("siblings", signal.siblings ?? []);
}
