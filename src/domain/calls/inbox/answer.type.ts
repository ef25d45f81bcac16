import { Field, ID, ObjectType } from "type-graphql";
import { encodeCursor } from "../signals/cursor";
import { partyToGraphql, SignalPartyType } from "../signals/signal.type";
import type { AnsweredCall } from "./subscriber";

@ObjectType("CallAnswer", {
  description: "A call that another device of the user has answered, so this device stops ringing.",
  simpleResolvers: true,
})
export class CallAnswerType {
  @Field({
    description:
      "Position in the user's own inbox, usable as `after` like the cursor of a signal. Opaque.",
  })
  cursor!: string;

  @Field(() => ID, { description: "The call." })
  callId!: string;

  @Field({ description: "The other device's answer: `accept`, `reject` or `hangUp`." })
  signalType!: string;

  @Field({ description: "The other device: the resource of its JID." })
  device!: string;

  @Field(() => SignalPartyType, { description: "The party that it answered." })
  peer!: SignalPartyType;
}

/** Converts an answer of another device to its GraphQL type. */
export function answerToGraphql(userId: number, message: AnsweredCall): CallAnswerType {
  const { cursor, callId, answerType, device, peer } = message;
  return {
    cursor: encodeCursor(cursor, userId),
    callId,
    signalType: answerType,
    device,
    peer: partyToGraphql(peer),
  };
}
