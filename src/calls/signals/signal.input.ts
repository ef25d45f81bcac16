import { GraphQLJSONObject } from "graphql-scalars";
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

  @Field(() => String, { nullable: true, description: "Text of an element without children." })
  text?: string | null;

  @Field(() => [XmlElementInput], { nullable: true, description: "Child elements, in order." })
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

  @Field(() => [XmlElementInput], { nullable: true, description: "Further child elements." })
  extra?: XmlElementInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Names of its parts in order; the usual order when omitted.",
  })
  order?: string[] | null;
}

@InputType({ description: "The recipient of a signal." })
export class SignalAddressInput {
  @Field(() => ID, { description: "The user, of the same application." })
  userId!: string;

  @Field(() => String, {
    nullable: true,
    description: "One device; all devices of the user when omitted.",
  })
  device?: string | null;
}

@InputType({
  description: `A call signal to send. \`call\` takes callId, callType and sdp; \`accept\`, \`iceRestart\` and
\`iceRestartAccept\` callId and sdp; \`iceCandidates\` callId and iceCandidates; the others callId.
Any signal may carry userInfo and extra.`,
})
export class SendSignalInput {
  @Field(() => SignalAddressInput, { description: "The recipient." })
  to!: SignalAddressInput;

  @Field({
    description:
      "call, accept, reject, hangUp, iceCandidates, update, iceRestart or iceRestartAccept. Any other type is forwarded unchanged.",
  })
  signalType!: string;

  @Field(() => String, {
    nullable: true,
    description: "Id of the stanza; generated when omitted.",
  })
  id?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the call: unique, and the same for all its signals.",
  })
  callId?: string | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType?: string | null;

  @Field(() => String, { nullable: true, description: "Session description." })
  sdp?: string | null;

  @Field(() => String, { nullable: true, description: "The sender's platform, as free text." })
  platform?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The user who started the call; in a `call` the sender when omitted.",
  })
  callerId?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description: "The called users; in a `call` the recipient when omitted.",
  })
  opponentIds?: string[] | null;

  @Field(() => [IceCandidateInput], { nullable: true, description: "ICE candidates." })
  iceCandidates?: IceCandidateInput[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Custom data; docs/SIGNALING-REFERENCE.md describes its XML form.",
  })
  userInfo?: unknown;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "The changed parameters of an `update`.",
  })
  parameters?: unknown;

  @Field(() => [XmlElementInput], {
    nullable: true,
    description: "Further elements of extraParams.",
  })
  extra?: XmlElementInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Names of all elements of extraParams in order; the usual order when omitted.",
  })
  order?: string[] | null;

  @Field(() => [XmlElementInput], {
    nullable: true,
    description: "Elements of the message other than extraParams.",
  })
  siblings?: XmlElementInput[] | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of siblings before extraParams.",
  })
  lead?: number | null;

  @Field(() => String, { nullable: true, description: "Language of the message (xml:lang)." })
  lang?: string | null;
}

@ObjectType({
  description: "Result of sendSignal: the signal is in the recipient's inbox.",
  simpleResolvers: true,
})
export class SendSignalPayload {
  @Field({ description: "Id of the stanza." })
  id!: string;

  @Field({ description: "Position in the recipient's inbox. Opaque." })
  cursor!: string;
}

@InputType({ description: "An incoming call to decline." })
export class RejectCallInput {
  @Field(() => ID, { description: "The recipient of the `reject`: the caller." })
  recipientId!: string;

  @Field(() => ID, { description: "Id of the call." })
  callId!: string;

  @Field(() => String, { nullable: true, description: "The sender's platform, as free text." })
  platform?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: "Custom data, such as a busy flag.",
  })
  userInfo?: unknown;
}

@ObjectType({ description: "Result of rejectCall.", simpleResolvers: true })
export class RejectCallPayload {
  @Field(() => ID, { description: "Id of the call." })
  callId!: string;
}
