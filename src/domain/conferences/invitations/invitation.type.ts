import { Field, ID, InputType, ObjectType } from "type-graphql";
import type { SharedLoads } from "../../../core/loads/shared-loads";
import type { Conference } from "../model/conference";
import { ConferenceType } from "../rooms/conference.type";

/** The conferences of invitations that a user may see, by user and conference, for all subscriptions of the user. */
export type InvitationLoads = SharedLoads<Conference>;

@InputType({ description: "Users to invite." })
export class InviteToConferenceInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;

  @Field(() => [ID], { description: "The users: 1 to 50." })
  userIds!: string[];
}

@ObjectType({
  description: "An invitation to a conference, which the signed-in user may join.",
  simpleResolvers: true,
})
export class ConferenceInvitation {
  @Field({
    description:
      "Position in the user's inbox, usable for a minute to resume with conferenceInvitations(after:). Opaque.",
  })
  cursor!: string;

  @Field(() => ID, { description: "The user who invites." })
  inviterId!: number;

  @Field(() => ConferenceType, { description: "The conference." })
  conference!: ConferenceType;
}
