import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { CallType } from "./signal.type";

@InputType({ description: "An attribute of an XML element." })
export class XmlAttributeInput {
  @Field({ description: "Name." })
  name!: string;

  @Field({ description: "Value." })
  value!: string;
}

@InputType({ description: "An XML element." })
export class XmlElementInput {
  @Field({ description: "Name; `#text` for a run of text in mixed content." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "Namespace where it differs from the parent's.",
  })
  namespace?: string | null;

  @Field(() => [XmlAttributeInput], { nullable: true, description: "Attributes." })
  attributes?: XmlAttributeInput[] | null;

  @Field(() => String, { nullable: true, description: "Text of an element that holds text alone." })
  text?: string | null;

  @Field(() => [XmlElementInput], { nullable: true, description: "Elements inside, in order." })
  children?: XmlElementInput[] | null;
}

@InputType({ description: "An ICE candidate." })
export class IceCandidateInput {
  @Field(() => Int, {
    nullable: true,
    description: "Index of the media description that it belongs to.",
  })
  sdpMLineIndex?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Identification tag of the media description.",
  })
  sdpMid?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The candidate-attribute (RFC 8839 section 5.1).",
  })
  candidate?: string | null;

  @Field(() => [XmlElementInput], { nullable: true, description: "What else it holds." })
  extra?: XmlElementInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Names of its parts in order, where that is unusual.",
  })
  order?: string[] | null;
}

@InputType({ description: "Whom a signal is for." })
export class SignalAddressInput {
  @Field(() => GraphQLSafeInt, { description: "The user, of one's own application." })
  userId!: number;

  @Field(() => String, {
    nullable: true,
    description: "One device; all devices of the user when left out.",
  })
  device?: string | null;
}

@InputType({
  description: `A call signal to send. \`call\` takes sessionId, callType and sdp; \`accept\`, \`iceRestart\` and
\`iceRestartAccept\` sessionId and sdp; \`iceCandidates\` sessionId and iceCandidates; the others sessionId.
Any signal may carry userInfo and extra.`,
})
export class SendSignalInput {
  @Field(() => SignalAddressInput, { description: "Whom it is for." })
  to!: SignalAddressInput;

  @Field({
    description:
      "call, accept, reject, hangUp, iceCandidates, update, iceRestart or iceRestartAccept; any other word passes through unchanged.",
  })
  signalType!: string;

  @Field(() => String, {
    nullable: true,
    description: "The stanza's id; one is made when left out.",
  })
  id?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The call: unique, and the same for all its signals.",
  })
  sessionId?: string | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType?: string | null;

  @Field(() => String, { nullable: true, description: "Session description." })
  sdp?: string | null;

  @Field(() => String, { nullable: true, description: "Your platform, in free text." })
  platform?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Who began the call; yourself in a `call` when left out.",
  })
  callerId?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description: "Who is called; the recipient of a `call` when left out.",
  })
  opponentIds?: string[] | null;

  @Field(() => [IceCandidateInput], { nullable: true, description: "ICE candidates." })
  iceCandidates?: IceCandidateInput[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Whatever you add; docs/SIGNALING.md says how it is written in XML.",
  })
  userInfo?: unknown;

  @Field(() => GraphQLJSONObject, { nullable: true, description: "What changed, in an `update`." })
  parameters?: unknown;

  @Field(() => [XmlElementInput], {
    nullable: true,
    description: "Further elements of extraParams.",
  })
  extra?: XmlElementInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Names of all elements of extraParams in order; the usual order when left out.",
  })
  order?: string[] | null;

  @Field(() => [XmlElementInput], {
    nullable: true,
    description: "Elements of the message beside extraParams.",
  })
  siblings?: XmlElementInput[] | null;

  @Field(() => Int, {
    nullable: true,
    description: "How many of the siblings stand before extraParams.",
  })
  lead?: number | null;

  @Field(() => String, { nullable: true, description: "Language of the message (xml:lang)." })
  lang?: string | null;
}

@ObjectType({
  description: "What sendSignal answers: the signal is in the recipient's inbox.",
  simpleResolvers: true,
})
export class SendSignalPayload {
  @Field({ description: "The stanza's id." })
  id!: string;

  @Field({ description: "Place in the recipient's inbox. Opaque." })
  cursor!: string;
}

@InputType({ description: "An incoming call to decline." })
export class RejectCallInput {
  @Field(() => ID, { description: "The participant who is told: whoever called." })
  recipientId!: string;

  @Field(() => ID, { description: "The call." })
  sessionId!: string;

  @Field(() => String, { nullable: true, description: "Your platform, in free text." })
  platform?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Whatever you add, such as a busy flag.",
  })
  userInfo?: unknown;
}

@ObjectType({ description: "What rejectCall answers.", simpleResolvers: true })
export class RejectCallPayload {
  @Field(() => ID, { description: "The call." })
  sessionId!: string;
}
