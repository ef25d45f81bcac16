import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { SIGNAL_FIELDS } from "./signal-fields";
import { type KnownType, SIGNAL_MEANINGS, SIGNAL_TYPES, signalTypeNameOf } from "./signal-types";
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

/** What any signal may carry besides the fields of the table, which the classes below add. */
@InputType()
abstract class AnySignalInput {
  @Field(() => [XmlElementInput], {
    nullable: true,
    description: "Further elements of extraParams.",
  })
  extra?: XmlElementInput[] | null;
}

/** Declares the fields of the table; those that the type needs are not null. */
function declareFields(signalClass: { prototype: object }, type?: KnownType): void {
  for (const field of SIGNAL_FIELDS) {
    const { name, description, inputNote, requiredBy } = field;
    const options = {
      nullable: !(type && requiredBy.includes(type)),
      description: [description, inputNote].filter(Boolean).join(" "),
    };
    Field(() => field.inputType() as never, options)(signalClass.prototype, name);
  }
}

/** Creates the input of a signal type. */
function inputOf(type: KnownType): new () => AnySignalInput {
  const created = class extends AnySignalInput {};
  InputType(`${signalTypeNameOf(type)}Input`, { description: `${SIGNAL_MEANINGS[type]}.` })(
    created,
  );
  declareFields(created, type);
  if (type === "update") {
    const description = "The changed parameters, name to value, by the rules of userInfo.";
    Field(() => GraphQLJSONObject, { nullable: true, description })(
      created.prototype,
      "parameters",
    );
  }
  return created;
}

@InputType({
  description: "A signal of a type that is not part of the protocol, forwarded unchanged.",
})
export class OtherSignalInput extends AnySignalInput {
  @Field({ description: "The type. INVALID if it is, or nearly is, a type of the protocol." })
  signalType!: string;
}
declareFields(OtherSignalInput);

/** The content of a signal to send: the fields of the table and `extra`, and `parameters` in an `update`. */
export type SignalContentInput = AnySignalInput & {
  parameters?: unknown;
  [field: string]: unknown;
};

@InputType({ description: "The content of a signal: exactly one of these fields." })
export class SignalInput {
  @Field(() => OtherSignalInput, { nullable: true, description: "Sends any other signal." })
  other?: OtherSignalInput | null;
}
for (const type of SIGNAL_TYPES) {
  const input = inputOf(type);
  const description = `${SIGNAL_MEANINGS[type]}.`;
  Field(() => input, { nullable: true, description })(SignalInput.prototype, type);
}

@InputType({ description: "A call signal to send." })
export class SendSignalInput {
  @Field(() => SignalAddressInput, { description: "The recipient." })
  to!: SignalAddressInput;

  @Field(() => String, {
    nullable: true,
    description: "Id of the stanza; generated when omitted.",
  })
  id?: string | null;

  @Field(() => SignalInput, { description: "The content." })
  signal!: SignalInput;
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
