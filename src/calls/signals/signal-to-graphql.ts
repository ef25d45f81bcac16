import { encodeCursor } from "./cursor";
import { indexToGraphql } from "./sdp-mline-index";
import type { IceCandidate, Party, Signal, XmlElement } from "./signal";
import type { IceCandidateType, SignalPartyType, SignalType, UpdateSignal } from "./signal.type";
import type { XmlElementType } from "./xml-element.type";

/** Converts a signal and its cursor to the GraphQL type. */
export function signalToGraphql(
  cursor: string,
  signal: Signal,
  mayHaveMissed = false,
): SignalType & Pick<UpdateSignal, "parameters"> {
  return {
    id: signal.id,
    cursor: encodeCursor(cursor, signal.to.userId),
    from: partyToGraphql(signal.from),
    to: partyToGraphql(signal.to),
    signalType: signal.type,
    callId: signal.sessionId ?? null,
    callType: signal.callType ?? null,
    sdp: signal.sdp ?? null,
    platform: signal.platform ?? null,
    callerId: signal.callerId ?? null,
    opponentIds: signal.opponentIds ?? null,
    iceCandidates: signal.iceCandidates?.map(candidateToGraphql) ?? null,
    userInfo: signal.userInfo ?? null,
    parameters: signal.parameters ?? null,
    extra: signal.extra.map(elementToGraphql),
    order: signal.order ?? null,
    siblings: (signal.siblings ?? []).map(elementToGraphql),
    lead: signal.lead ?? 0,
    lang: signal.lang ?? null,
    mayHaveMissed,
  };
}

/** Converts a party to its GraphQL type. */
export function partyToGraphql({ applicationId, userId, resource }: Party): SignalPartyType {
  return { applicationId, userId, device: resource ?? null };
}

function candidateToGraphql(candidate: IceCandidate): IceCandidateType {
  const { sdpMLineIndex, sdpMid, candidate: line, order } = candidate;
  const { index, extra } =
    sdpMLineIndex === undefined
      ? { index: null, extra: candidate.extra }
      : indexToGraphql(sdpMLineIndex, candidate.extra);
  return {
    sdpMLineIndex: index,
    sdpMid: sdpMid ?? null,
    candidate: line ?? null,
    extra: extra.map(elementToGraphql),
    order: order ?? null,
  };
}

function elementToGraphql(element: XmlElement): XmlElementType {
  const { name, namespace, attributes = {}, text, children = [] } = element;
  return {
    name,
    namespace,
    attributeList: Object.entries(attributes).map(([key, value]) => ({ name: key, value })),
    text,
    children: children.map(elementToGraphql),
    tree: element,
  };
}
