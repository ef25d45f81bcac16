import { ID } from "type-graphql";
import { CallType } from "./call-type.type";
import { idListField, jsonField, type SignalField, textField } from "./field-kinds";
import { iceCandidatesField } from "./ice-candidate";
import { SIGNAL_TYPES } from "./signal-types";

/**
 * The fields of a signal, in the canonical order of their elements. The rules, the GraphQL schema, the codec of
 * stanzas and the size limit loop over this table, so a new field is one row (docs/SIGNALING-REFERENCE.md
 * describes the wire form).
 */
const FIELDS = [
  textField("callId", {
    description: "Id of the call: unique, and the same for all its signals and participants.",
    type: () => ID,
    requiredBy: SIGNAL_TYPES,
    element: "sessionID",
  }),
  textField("callType", {
    description: "Video or audio.",
    type: () => CallType,
    requiredBy: ["call"],
    element: "callType",
    pattern: /^[12]$/,
  }),
  textField("sdp", {
    description: "Session description with CRLF line ends (RFC 8866 section 5).",
    requiredBy: ["call", "accept", "iceRestart", "iceRestartAccept"],
    element: "sdp",
    normalize: toCrlf,
  }),
  textField("platform", {
    description: "The sender's platform, as free text.",
    element: "platform",
  }),
  textField("callerId", {
    description: "The user who started a group call, as claimed by the sender.",
    inputNote: "In a `call` the sender when omitted.",
    type: () => ID,
    element: "callerID",
  }),
  idListField("opponentIds", {
    description: "The called users, as claimed by the sender.",
    inputNote: "In a `call` the recipient when omitted.",
    element: "opponentsIDs",
    itemElement: "opponentID",
  }),
  iceCandidatesField,
  jsonField("userInfo", {
    description:
      "Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form.",
    element: "userInfo",
  }),
] as const;

type Field = (typeof FIELDS)[number];

/** The values of the fields; which of them a signal has depends on its type. */
export type SignalFields = {
  [F in Field as F["key"]]?: F extends SignalField<string, infer Value> ? Value : never;
};

/** The fields that the router and the call history read. */
export const HEADER_FIELDS = [
  "callId",
  "callType",
  "callerId",
  "opponentIds",
  "userInfo",
] as const satisfies (keyof SignalFields)[];

/** The table, for code that treats all fields alike. */
export const SIGNAL_FIELDS: readonly SignalField<keyof SignalFields, never>[] = FIELDS as never;

/** Converts the line ends of a session description to CRLF. */
export function toCrlf(text: string): string {
  return hasCrlf(text) ? text : text.replace(/\r\n|\r|\n/g, "\r\n");
}

/** Whether all line ends are CRLF, as in nearly all session descriptions. */
function hasCrlf(text: string): boolean {
  let cr = text.indexOf("\r");
  let lf = text.indexOf("\n");
  while (cr >= 0 && lf === cr + 1) {
    cr = text.indexOf("\r", lf);
    lf = text.indexOf("\n", lf + 1);
  }
  return cr < 0 && lf < 0;
}
