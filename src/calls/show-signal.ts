import { showCursor } from "./cursor";
import { showIndex } from "./line-index";
import type { IceCandidate, Party, Signal, XmlElement } from "./signal";
import type { IceCandidateType, SignalPartyType, SignalType, UpdateSignal } from "./signal.type";
import type { XmlElementType } from "./xml-element.type";

/** A signal at its place in the inbox, in the form that GraphQL shows. */
export function showSignal(
  cursor: string,
  signal: Signal,
  mayHaveMissed = false,
): SignalType & Pick<UpdateSignal, "parameters"> {
  return {
    id: signal.id,
    cursor: showCursor(cursor, signal.to.userId),
    from: showParty(signal.from),
    to: showParty(signal.to),
    signalType: signal.type,
    sessionId: signal.sessionId ?? null,
    callType: signal.callType ?? null,
    sdp: signal.sdp ?? null,
    platform: signal.platform ?? null,
    callerId: signal.callerId ?? null,
    opponentIds: signal.opponentIds ?? null,
    iceCandidates: signal.iceCandidates?.map(showCandidate) ?? null,
    userInfo: signal.userInfo ?? null,
    parameters: signal.parameters ?? null,
    extra: signal.extra.map(showElement),
    order: signal.order ?? null,
    siblings: (signal.siblings ?? []).map(showElement),
    lead: signal.lead ?? 0,
    lang: signal.lang ?? null,
    mayHaveMissed,
  };
}

/** A party in the form that GraphQL shows. */
export function showParty({ applicationId, userId, resource }: Party): SignalPartyType {
  return { applicationId, userId, device: resource ?? null };
}

function showCandidate(candidate: IceCandidate): IceCandidateType {
  const { sdpMLineIndex, sdpMid, candidate: line, order } = candidate;
  const { index, extra } =
    sdpMLineIndex === undefined
      ? { index: null, extra: candidate.extra }
      : showIndex(sdpMLineIndex, candidate.extra);
  return {
    sdpMLineIndex: index,
    sdpMid: sdpMid ?? null,
    candidate: line ?? null,
    extra: extra.map(showElement),
    order: order ?? null,
  };
}

function showElement(element: XmlElement): XmlElementType {
  const { name, namespace, attributes = {}, text, children = [] } = element;
  return {
    name,
    namespace,
    attributeList: Object.entries(attributes).map(([key, value]) => ({ name: key, value })),
    text,
    children: children.map(showElement),
    tree: element,
  };
}
