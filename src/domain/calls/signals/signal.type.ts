import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ID, InterfaceType, ObjectType } from "type-graphql";
import type { JsonObject } from "../../../core/json";
import { encodeCursor } from "./cursor";
import type { Party, Signal } from "./signal";
import { SIGNAL_FIELDS } from "./signal-fields";
import { SIGNAL_TYPES, signalTypeNameOf } from "./signal-types";
import { contentOfSignal } from "./signal-xml";
import { elementToGraphql, XmlElementType } from "./xml-element.type";

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

@InterfaceType("Signal", {
  description:
    "A call signal. Fields that the sender omitted are null; the types narrow those that their signals need.",
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

  @Field(() => [XmlElementType], {
    description: "Elements of extraParams without a field of their own, in the order sent.",
  })
  extra!: XmlElementType[];

  @Field({
    description:
      "Whether this subscription may have missed ringing calls, because the inbox evicted signals in the minute before the subscription began. Only true in its first signal.",
  })
  mayHaveMissed!: boolean;
}

// The other fields are those of the table.
for (const field of SIGNAL_FIELDS) {
  const { name, description } = field;
  const options = { nullable: true, description };
  Field(() => field.outputType() as never, options)(SignalType.prototype, name);
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
  description:
    "Any other signal: of an unknown type, or without a field that its type needs. Forwarded unchanged.",
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

/** What a received signal of each known type must have for its type's fields, which are then not null. */
const REQUIRED = new Map(
  SIGNAL_TYPES.map((type) => {
    const fields = SIGNAL_FIELDS.filter(({ requiredBy }) => requiredBy.includes(type));
    return [type as string, { typeName: signalTypeNameOf(type), fields }];
  }),
);

for (const signalClass of SIGNAL_CLASSES) {
  const required = [...REQUIRED.values()].find(({ typeName }) => typeName === signalClass.name);
  for (const { name, description, outputType } of required?.fields ?? []) {
    Field(() => outputType() as never, { description })(signalClass.prototype, name);
  }
}

/** Name of a signal's GraphQL type: OtherSignal unless it has everything that its type needs. */
export function signalTypeName(signal: SignalType): string {
  const required = REQUIRED.get(signal.signalType);
  const isWhole = required?.fields.every(({ name }) => signal[name as keyof SignalType] !== null);
  return required && isWhole ? required.typeName : "OtherSignal";
}

/** Converts a signal and its cursor to the GraphQL type. */
export function signalToGraphql(
  cursor: string,
  signal: Signal,
  mayHaveMissed = false,
): SignalType & Pick<UpdateSignal, "parameters"> {
  const content = contentOfSignal(signal);
  const result = {
    id: signal.id,
    cursor: encodeCursor(cursor, signal.to.userId),
    from: partyToGraphql(signal.from),
    to: partyToGraphql(signal.to),
    signalType: signal.type,
    parameters: content.parameters ?? null,
    extra: content.extra.map(elementToGraphql),
    mayHaveMissed,
  };
  for (const { key, name, toOutput } of SIGNAL_FIELDS) {
    const value = content[key];
    (result as Record<string, unknown>)[name] =
      value === undefined ? null : toOutput(value as never);
  }
  return result;
}

/** Converts a party to its GraphQL type. */
export function partyToGraphql({ applicationId, userId, resource }: Party): SignalPartyType {
  return { applicationId, userId, device: resource ?? null };
}
