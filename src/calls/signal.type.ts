import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, InterfaceType, ObjectType, registerEnumType } from "type-graphql";
import type { IceCandidate, JsonObject, Party, Signal, XmlElement } from "./signal";

/** GraphQL names of the callType's two values. */
export const CallType = { VIDEO: "1", AUDIO: "2" } as const;
registerEnumType(CallType, {
  name: "CallType",
  description: "What a call is made with.",
  valuesConfig: {
    VIDEO: { description: "Video and audio; `1` in a stanza." },
    AUDIO: { description: "Audio alone; `2` in a stanza." },
  },
});

@ObjectType("XmlAttribute", {
  description: "An attribute of an XML element.",
  simpleResolvers: true,
})
export class XmlAttributeType {
  @Field({ description: "Name, with its prefix if it has one." })
  name!: string;

  @Field({ description: "Value." })
  value!: string;
}

@ObjectType("XmlElement", { description: "An XML element that the protocol does not name." })
export class XmlElementType {
  @Field({ description: "Name; `#text` for a run of text in mixed content." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "Namespace where it differs from the parent's (`jabber:client` at the top).",
  })
  namespace?: string;

  @Field(() => [XmlAttributeType], { name: "attributes", description: "Attributes." })
  attributeList!: XmlAttributeType[];

  @Field(() => String, { nullable: true, description: "Text of an element that holds text alone." })
  text?: string;

  @Field(() => [XmlElementType], { description: "Elements inside, in order." })
  children!: XmlElementType[];

  @Field(() => GraphQLJSONObject, {
    description:
      "The element with everything below it, however deep: `{name, namespace, attributes: {name: value}, text, children: […]}`.",
  })
  tree!: XmlElement;
}

@ObjectType("SignalParty", { description: "One end of a signal.", simpleResolvers: true })
export class SignalPartyType {
  applicationId!: number;

  @Field(() => GraphQLSafeInt, { description: "The user." })
  userId!: number;

  @Field(() => String, {
    nullable: true,
    description:
      "The device, the resource of its JID; null where all devices of the user are meant.",
  })
  device!: string | null;
}

@ObjectType("IceCandidate", { description: "An ICE candidate.", simpleResolvers: true })
export class IceCandidateType {
  @Field(() => Int, {
    nullable: true,
    description: "Index of the media description that it belongs to.",
  })
  sdpMLineIndex!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Identification tag of the media description.",
  })
  sdpMid!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The candidate-attribute (RFC 8839 section 5.1).",
  })
  candidate!: string | null;

  @Field(() => [XmlElementType], { description: "What else the candidate held." })
  extra!: XmlElementType[];

  @Field(() => [String], {
    nullable: true,
    description: "Names of its parts in the order sent, where that is unusual.",
  })
  order!: string[] | null;
}

@InterfaceType("Signal", {
  description: "A call signal. A field is null where the sender left it out.",
  resolveType: (signal: SignalType) => TYPE_NAMES.get(signal.signalType) ?? "OtherSignal",
})
export abstract class SignalType {
  @Field({ description: "The stanza's id; a repeat of a signal after a reconnect has the same." })
  id!: string;

  @Field({ description: "Place in the recipient's inbox. Opaque." })
  cursor!: string;

  @Field(() => SignalPartyType, {
    description: "Who sent it, stamped by the service. The only field that identifies anybody.",
  })
  from!: SignalPartyType;

  @Field(() => SignalPartyType, { description: "Whom it was sent to." })
  to!: SignalPartyType;

  @Field({ description: "The signal's name in the protocol, such as `call`." })
  signalType!: string;

  @Field(() => ID, {
    nullable: true,
    description: "The call; the same for all its signals and participants.",
  })
  sessionId!: string | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType!: string | null;

  @Field(() => String, { nullable: true, description: "Session description, its line ends CRLF." })
  sdp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Platform of the sender, as the sender calls it.",
  })
  platform!: string | null;

  @Field(() => ID, { nullable: true, description: "Who began a group call, as the sender claims." })
  callerId!: string | null;

  @Field(() => [ID], { nullable: true, description: "Who is called, as the sender claims." })
  opponentIds!: string[] | null;

  @Field(() => [IceCandidateType], { nullable: true, description: "ICE candidates." })
  iceCandidates!: IceCandidateType[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Whatever the sender adds. From an XMPP client every value is text.",
  })
  userInfo!: JsonObject | null;

  @Field(() => [XmlElementType], {
    description: "Elements of extraParams that no other field holds, in the order sent.",
  })
  extra!: XmlElementType[];

  @Field(() => [String], {
    nullable: true,
    description:
      "Names of all elements of extraParams in the order sent; null for the usual order.",
  })
  order!: string[] | null;

  @Field(() => [XmlElementType], {
    description: "Elements of the message beside extraParams, in the order sent.",
  })
  siblings!: XmlElementType[];

  @Field(() => Int, { description: "How many of the siblings stood before extraParams." })
  lead!: number;

  @Field(() => String, { nullable: true, description: "Language of the message (xml:lang)." })
  lang!: string | null;
}

const implementsSignal = { implements: SignalType, simpleResolvers: true };

@ObjectType("CallSignal", {
  ...implementsSignal,
  description: "`call`: begins a call. Repeated every few seconds until it is answered.",
})
export class CallSignal extends SignalType {}

@ObjectType("AcceptSignal", { ...implementsSignal, description: "`accept`: takes the call." })
export class AcceptSignal extends SignalType {}

@ObjectType("RejectSignal", {
  ...implementsSignal,
  description: "`reject`: declines the call; userInfo may say that the user is busy.",
})
export class RejectSignal extends SignalType {}

@ObjectType("HangUpSignal", { ...implementsSignal, description: "`hangUp`: ends the call." })
export class HangUpSignal extends SignalType {}

@ObjectType("IceCandidatesSignal", {
  ...implementsSignal,
  description: "`iceCandidates`: ways to reach the sender's media.",
})
export class IceCandidatesSignal extends SignalType {}

@ObjectType("UpdateSignal", {
  ...implementsSignal,
  description: "`update`: parameters of the call changed.",
})
export class UpdateSignal extends SignalType {
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "What changed: name to value, by the rules of userInfo.",
  })
  parameters!: JsonObject | null;
}

@ObjectType("IceRestartSignal", {
  ...implementsSignal,
  description: "`iceRestart`: offers new ways for the media.",
})
export class IceRestartSignal extends SignalType {}

@ObjectType("IceRestartAcceptSignal", {
  ...implementsSignal,
  description: "`iceRestartAccept`: takes up new ways for the media.",
})
export class IceRestartAcceptSignal extends SignalType {}

@ObjectType("OtherSignal", {
  ...implementsSignal,
  description: "A signal that this version does not know; passed on unchanged.",
})
export class OtherSignal extends SignalType {}

/** The types of signals, which the schema would not find by itself. */
export const SIGNAL_CLASSES = [
  CallSignal,
  AcceptSignal,
  RejectSignal,
  HangUpSignal,
  IceCandidatesSignal,
  UpdateSignal,
  IceRestartSignal,
  IceRestartAcceptSignal,
  OtherSignal,
];

const TYPE_NAMES = new Map([
  ["call", "CallSignal"],
  ["accept", "AcceptSignal"],
  ["reject", "RejectSignal"],
  ["hangUp", "HangUpSignal"],
  ["iceCandidates", "IceCandidatesSignal"],
  ["update", "UpdateSignal"],
  ["iceRestart", "IceRestartSignal"],
  ["iceRestartAccept", "IceRestartAcceptSignal"],
]);

/** A signal at its place in the inbox, in the form that GraphQL shows. */
export function showSignal(
  cursor: string,
  signal: Signal,
): SignalType & Pick<UpdateSignal, "parameters"> {
  return {
    id: signal.id,
    cursor,
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
  };
}

function showParty({ applicationId, userId, resource }: Party): SignalPartyType {
  return { applicationId, userId, device: resource ?? null };
}

function showCandidate(candidate: IceCandidate): IceCandidateType {
  const { sdpMLineIndex, sdpMid, candidate: line, extra, order } = candidate;
  return {
    // Empty means 0 (docs/SIGNALING.md).
    sdpMLineIndex: sdpMLineIndex === undefined ? null : Number(sdpMLineIndex),
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
