import { Field, ID, ObjectType } from "type-graphql";
import { showCursor } from "./cursor";
import type { AnsweredParcel } from "./device";
import { showParty } from "./show-signal";
import { SignalPartyType } from "./signal.type";

@ObjectType("CallAnswer", {
  description: "A call that another device of the user has answered, so this one need not ring.",
  simpleResolvers: true,
})
export class CallAnswerType {
  @Field({
    description: "Place in one's own inbox, to go on after as with that of a signal. Opaque.",
  })
  cursor!: string;

  @Field(() => ID, { description: "The call." })
  sessionId!: string;

  @Field({ description: "What the other device said: `accept`, `reject` or `hangUp`." })
  signalType!: string;

  @Field({ description: "The other device, the resource of its JID." })
  device!: string;

  @Field(() => SignalPartyType, { description: "Whom it answered." })
  peer!: SignalPartyType;
}

/** An answer to a user's call in the form that GraphQL shows. */
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
