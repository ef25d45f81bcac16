import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, InterfaceType, ObjectType, registerEnumType } from "type-graphql";
import type { JsonObject } from "./signal";
import { XmlElementType } from "./xml-element.type";

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
  resolveType: (signal: SignalType) => signalTypeName(signal),
})
export abstract class SignalType {
  @Field({ description: "The stanza's id; a repeat of a signal after a reconnect has the same." })
  id!: string;

  @Field({
    description:
      "Place in the recipient's inbox, to go on after (callSignals(after:)) for a minute. Opaque.",
  })
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

  @Field({
    description:
      "Whether calls may ring that this subscription is not told of: more was sent to the user within the minute before it began than an inbox keeps. True of its first signal alone.",
  })
  mayHaveMissed!: boolean;
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

/** Name of the GraphQL type that a signal is shown as. */
export function signalTypeName({ signalType }: Pick<SignalType, "signalType">): string {
  return TYPE_NAMES.get(signalType) ?? "OtherSignal";
}
