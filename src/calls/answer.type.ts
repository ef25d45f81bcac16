import { Field, ID, ObjectType } from "type-graphql";
import { showCursor } from "./cursor";
import type { AnsweredParcel } from "./device";
import { showParty } from "./show-signal";
import { SignalPartyType } from "./signal.type";

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
  sessionId!: string;

  @Field({ description: "The other device's answer: `accept`, `reject` or `hangUp`." })
  signalType!: string;

  @Field({ description: "The other device: the resource of its JID." })
  device!: string;

  @Field(() => SignalPartyType, { description: "The party that it answered." })
  peer!: SignalPartyType;
}

/** Converts an answer of another device to its GraphQL type. */
export function showAnswer(userId: number, parcel: AnsweredParcel): CallAnswerType {
  const { cursor, sessionId, word, device, peer } = parcel;
  return {
    cursor: showCursor(cursor, userId),
    sessionId,
    signalType: word,
    device,
    peer: showParty(peer),
  };
}
