import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ID, Int, InterfaceType, ObjectType, registerEnumType } from "type-graphql";
import type { JsonObject } from "./signal";
import { XmlElementType } from "./xml-element.type";

/** GraphQL names of the values of callType. */
export const CallType = { VIDEO: "1", AUDIO: "2" } as const;
registerEnumType(CallType, {
  name: "CallType",
  description: "The media of a call.",
  valuesConfig: {
    VIDEO: { description: "Video and audio; `1` in a stanza." },
    AUDIO: { description: "Audio only; `2` in a stanza." },
  },
});

@ObjectType("SignalParty", {
  description: "The sender or recipient of a signal.",
  simpleResolvers: true,
})
export class SignalPartyType {
  applicationId!: number;

  @Field(() => ID, { description: "The user." })
  userId!: number;

  @Field(() => String, {
    nullable: true,
    description: "The device: the resource of its JID; null for all devices of the user.",
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

  @Field(() => [XmlElementType], { description: "Further child elements." })
  extra!: XmlElementType[];

  @Field(() => [String], {
    nullable: true,
    description: "Names of its parts in the order sent; null for the usual order.",
  })
  order!: string[] | null;
}

@InterfaceType("Signal", {
  description: "A call signal. Fields that the sender omitted are null.",
  resolveType: (signal: SignalType) => signalTypeName(signal),
})
export abstract class SignalType {
  @Field({ description: "Id of the stanza; redelivery after a reconnect keeps it." })
  id!: string;

  @Field({
    description:
      "Position in the recipient's inbox, usable for a minute to resume with callSignals(after:). Opaque.",
  })
  cursor!: string;

  @Field(() => SignalPartyType, {
    description:
      "The sender, set by the service. The only field that identifies the sender reliably.",
  })
  from!: SignalPartyType;

  @Field(() => SignalPartyType, { description: "The recipient." })
  to!: SignalPartyType;

  @Field({ description: "The type of the signal in the protocol, such as `call`." })
  signalType!: string;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the call; the same for all its signals and participants.",
  })
  callId!: string | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType!: string | null;

  @Field(() => String, { nullable: true, description: "Session description with CRLF line ends." })
  sdp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The sender's platform, as free text.",
  })
  platform!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The user who started a group call, as claimed by the sender.",
  })
  callerId!: string | null;

  @Field(() => [ID], { nullable: true, description: "The called users, as claimed by the sender." })
  opponentIds!: string[] | null;

  @Field(() => [IceCandidateType], { nullable: true, description: "ICE candidates." })
  iceCandidates!: IceCandidateType[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Custom data of the sender. From an XMPP client every value is text.",
  })
  userInfo!: JsonObject | null;

  @Field(() => [XmlElementType], {
    description: "Elements of extraParams without a field of their own, in the order sent.",
  })
  extra!: XmlElementType[];

  @Field(() => [String], {
    nullable: true,
    description:
      "Names of all elements of extraParams in the order sent; null for the usual order.",
  })
  order!: string[] | null;

  @Field(() => [XmlElementType], {
    description: "Elements of the message other than extraParams, in the order sent.",
  })
  siblings!: XmlElementType[];

  @Field(() => Int, { description: "Number of siblings before extraParams." })
  lead!: number;

  @Field(() => String, { nullable: true, description: "Language of the message (xml:lang)." })
  lang!: string | null;

  @Field({
    description:
      "Whether this subscription may have missed ringing calls, because the inbox evicted signals in the minute before the subscription began. Only true in its first signal.",
  })
  mayHaveMissed!: boolean;
}

const implementsSignal = { implements: SignalType, simpleResolvers: true };

@ObjectType("CallSignal", {
  ...implementsSignal,
  description: "`call`: starts a call. Repeated every few seconds until it is answered.",
})
export class CallSignal extends SignalType {}

@ObjectType("AcceptSignal", { ...implementsSignal, description: "`accept`: accepts the call." })
export class AcceptSignal extends SignalType {}

@ObjectType("RejectSignal", {
  ...implementsSignal,
  description: "`reject`: declines the call; userInfo may indicate that the user is busy.",
})
export class RejectSignal extends SignalType {}

@ObjectType("HangUpSignal", { ...implementsSignal, description: "`hangUp`: ends the call." })
export class HangUpSignal extends SignalType {}

@ObjectType("IceCandidatesSignal", {
  ...implementsSignal,
  description: "`iceCandidates`: ICE candidates of the sender.",
})
export class IceCandidatesSignal extends SignalType {}

@ObjectType("UpdateSignal", {
  ...implementsSignal,
  description: "`update`: changes parameters of the call.",
})
export class UpdateSignal extends SignalType {
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "The changed parameters, name to value, by the rules of userInfo.",
  })
  parameters!: JsonObject | null;
}

@ObjectType("IceRestartSignal", {
  ...implementsSignal,
  description: "`iceRestart`: offers an ICE restart.",
})
export class IceRestartSignal extends SignalType {}

@ObjectType("IceRestartAcceptSignal", {
  ...implementsSignal,
  description: "`iceRestartAccept`: accepts an ICE restart.",
})
export class IceRestartAcceptSignal extends SignalType {}

@ObjectType("OtherSignal", {
  ...implementsSignal,
  description: "A signal of an unknown type, forwarded unchanged.",
})
export class OtherSignal extends SignalType {}

/** The implementations of the interface Signal, which schema generation would not find by itself. */
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

/** Name of a signal's GraphQL type. */
export function signalTypeName({ signalType }: Pick<SignalType, "signalType">): string {
  return TYPE_NAMES.get(signalType) ?? "OtherSignal";
}
