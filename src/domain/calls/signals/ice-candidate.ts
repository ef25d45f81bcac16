import { checkElement, checkText } from "../../../platform/xml/rules";
import {
  isPlain,
  parentElement,
  plainText,
  TEXT,
  textElement,
  type XmlElement,
} from "../../../platform/xml/xml-element";
import {
  measureElements,
  measureTexts,
  readList,
  type SignalField,
  type TextSize,
} from "./field-kinds";
import { IceCandidateInput, IceCandidateType } from "./ice-candidate.type";
import { elementFromInput, elementToGraphql } from "./xml-element.type";

/** An ICE candidate (RFC 8839 section 5.1). */
export interface IceCandidate {
  /** Index of the media description. A stanza may leave it empty, which means 0. */
  sdpMLineIndex?: number;
  /** Identification tag of the media description (RFC 5888 section 4). */
  sdpMid?: string;
  /** The candidate-attribute. */
  candidate?: string;
  /** Further child elements. */
  extra: XmlElement[];
}

const INDEX = "sdpMLineIndex";
const TEXTS = ["sdpMid", "candidate"] as const;

/** The field with the ICE candidates of the sender. */
export const iceCandidatesField: SignalField<"iceCandidates", IceCandidate[]> = {
  key: "iceCandidates",
  name: "iceCandidates",
  description: "ICE candidates.",
  outputType: () => [IceCandidateType],
  inputType: () => [IceCandidateInput],
  requiredBy: ["iceCandidates"],
  element: "iceCandidates",
  read: (list) => readList(list, "iceCandidate", readCandidate),
  write: (candidates) => parentElement("iceCandidates", candidates.map(writeCandidate)),
  fromInput: (candidates: IceCandidateInput[]) => candidates.map(candidateFromInput),
  toOutput: (candidates) => candidates.map(candidateToGraphql),
  check(candidates) {
    for (const { sdpMid, candidate, extra } of candidates) {
      for (const text of [sdpMid, candidate]) checkText("iceCandidates", text ?? "");
      for (const element of extra) checkElement("iceCandidates", element);
    }
  },
  measure(size: TextSize, candidates) {
    for (const { sdpMLineIndex, sdpMid, candidate, extra } of candidates) {
      measureTexts(size, [String(sdpMLineIndex ?? ""), sdpMid, candidate]);
      measureElements(size, extra);
    }
  },
};

function readCandidate(element: XmlElement): IceCandidate | undefined {
  if (!isPlain(element)) return undefined;
  const result: IceCandidate = { extra: [] };
  const children = element.text ? [{ name: TEXT, text: element.text }] : element.children;
  const seen = new Set<string>();
  for (const child of children ?? []) {
    const isFirst = !seen.has(child.name);
    seen.add(child.name);
    if (!isFirst || !readPart(result, child)) result.extra.push(child);
  }
  return result;
}

/** Reads one part of a candidate. Returns false if it is not one. */
function readPart(result: IceCandidate, child: XmlElement): boolean {
  const text = plainText(child);
  if (text === undefined) return false;
  if (child.name === INDEX && /^\d{0,9}$/.test(text)) {
    result.sdpMLineIndex = Number(text);
    return true;
  }
  const name = TEXTS.find((each) => each === child.name);
  if (name) result[name] = text;
  return name !== undefined;
}

function writeCandidate(candidate: IceCandidate): XmlElement {
  const children: XmlElement[] = [];
  const { sdpMLineIndex } = candidate;
  if (sdpMLineIndex !== undefined) children.push({ name: INDEX, text: String(sdpMLineIndex) });
  for (const name of TEXTS) {
    const text = candidate[name];
    if (text !== undefined) children.push(textElement(name, text));
  }
  return parentElement("iceCandidate", [...children, ...candidate.extra]);
}

function candidateFromInput(input: IceCandidateInput): IceCandidate {
  const candidate: IceCandidate = { extra: (input.extra ?? []).map(elementFromInput) };
  if (typeof input.sdpMLineIndex === "number") candidate.sdpMLineIndex = input.sdpMLineIndex;
  for (const name of TEXTS) {
    const text = input[name];
    if (typeof text === "string") candidate[name] = text;
  }
  return candidate;
}

function candidateToGraphql(candidate: IceCandidate): IceCandidateType {
  const { sdpMLineIndex = null, sdpMid = null, candidate: line = null, extra } = candidate;
  return { sdpMLineIndex, sdpMid, candidate: line, extra: extra.map(elementToGraphql) };
}
