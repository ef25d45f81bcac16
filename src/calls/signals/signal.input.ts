import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { SIGNAL_FIELDS } from "./signal-fields";
import { XmlElementInput } from "./xml-element.type";

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
}

// The other fields are those of the table.
for (const field of SIGNAL_FIELDS) {
  const { name, description, inputNote } = field;
  const options = {
    nullable: true,
    description: [description, inputNote].filter(Boolean).join(" "),
  };
  Field(() => field.inputType() as never, options)(SendSignalInput.prototype, name);
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
