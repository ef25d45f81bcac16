import { Fault } from "../../core/errors";
import { newId } from "../../core/random";
import { parseId } from "../../core/text/ids";
import { checkSignal } from "./check-signal";
import { indexFromGraphql } from "./sdp-mline-index";
import {
  type IceCandidate,
  type JsonObject,
  type Party,
  SIGNAL_TYPES,
  type Signal,
  type XmlElement,
} from "./signal";
import type { IceCandidateInput, SendSignalInput, XmlElementInput } from "./signal.input";
import { checkUserInfo } from "./user-info";

/** Required fields by signal type. */
const REQUIRED: Record<string, ReadonlyArray<"callType" | "sdp" | "iceCandidates">> = {
  call: ["callType", "sdp"],
  accept: ["sdp"],
  iceCandidates: ["iceCandidates"],
  iceRestart: ["sdp"],
  iceRestartAccept: ["sdp"],
};

/**
 * Converts a GraphQL input to a signal.
 * @throws Fault INVALID for a field that is missing or that cannot be written as a stanza
 */
export function signalFromInput(from: Party, input: SendSignalInput): Signal {
  const { signalType: type } = input;
  if ((SIGNAL_TYPES as readonly string[]).includes(type)) {
    if (!input.callId) throw Fault.field("callId", "is required");
    for (const field of Object.hasOwn(REQUIRED, type) ? (REQUIRED[type] ?? []) : []) {
      if (!input[field]) throw Fault.field(field, `is required for ${type}`);
    }
  }
  const isCall = type === "call";
  const userId = parseId(input.to.userId);
  if (userId === null) throw Fault.field("to.userId", "is not an id");
  const signal: Signal = {
    id: input.id || newId(),
    from,
    to: { applicationId: from.applicationId, userId },
    type,
    extra: (input.extra ?? []).map(toElement),
  };
  if (input.to.device) signal.to.resource = input.to.device;
  set(signal, "sessionId", input.callId);
  set(signal, "callType", input.callType);
  set(signal, "sdp", input.sdp?.replace(/\r\n|\r|\n/g, "\r\n"));
  set(signal, "platform", input.platform);
  // Null means none, so that a signal received without them can be sent again as it is.
  const { callerId, opponentIds } = input;
  set(signal, "callerId", isCall && callerId === undefined ? String(from.userId) : callerId);
  set(signal, "opponentIds", isCall && opponentIds === undefined ? [String(userId)] : opponentIds);
  set(signal, "iceCandidates", input.iceCandidates?.map(toCandidate));
  set(signal, "userInfo", checkedJson("userInfo", input.userInfo));
  set(signal, "parameters", checkedJson("parameters", input.parameters));
  set(signal, "order", input.order);
  set(signal, "siblings", input.siblings?.map(toElement));
  set(signal, "lead", input.lead);
  set(signal, "lang", input.lang);
  checkSignal(signal);
  return signal;
}

function set<K extends keyof Signal>(signal: Signal, key: K, value?: Signal[K] | null): void {
  if (value !== null && value !== undefined) signal[key] = value;
}

function checkedJson(field: string, value: unknown): JsonObject | null {
  if (value === null || value === undefined) return null;
  checkUserInfo(value, field);
  return value;
}

function toCandidate(input: IceCandidateInput): IceCandidate {
  const candidate: IceCandidate = { extra: (input.extra ?? []).map(toElement) };
  if (input.sdpMLineIndex !== null && input.sdpMLineIndex !== undefined) {
    const { written, extra } = indexFromGraphql(input.sdpMLineIndex, candidate.extra);
    candidate.sdpMLineIndex = written;
    candidate.extra = extra;
  }
  if (typeof input.sdpMid === "string") candidate.sdpMid = input.sdpMid;
  if (typeof input.candidate === "string") candidate.candidate = input.candidate;
  if (input.order) candidate.order = input.order;
  return candidate;
}

function toElement(input: XmlElementInput): XmlElement {
  const element: XmlElement = { name: input.name };
  if (typeof input.namespace === "string") element.namespace = input.namespace;
  if (input.attributes?.length) {
    element.attributes = Object.fromEntries(
      input.attributes.map(({ name, value }) => [name, value]),
    );
  }
  if (typeof input.text === "string") element.text = input.text;
  if (input.children?.length) element.children = input.children.map(toElement);
  return element;
}
