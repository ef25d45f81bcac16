import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import type { ConferenceAccess } from "../model/conference";
import { ConferenceAccessName, ConferenceType } from "./conference.type";

@InputType({ description: "A new conference." })
export class CreateConferenceInput {
  @Field({
    description:
      "Name: 1 to 128 characters, unique among the open conferences for everyone of the application.",
  })
  name!: string;

  @Field(() => Int, {
    nullable: true,
    description: "Maximum number of participants: 2 to 12; 12 by default.",
  })
  seats?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether participants may send video; true by default.",
  })
  video?: boolean | null;

  @Field(() => ConferenceAccessName as object, {
    nullable: true,
    description: "Who may join; EVERYONE by default.",
  })
  access?: ConferenceAccess | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Maximum bitrate of each participant's video, in bits per second: 64,000 to 4,000,000.",
  })
  bitrate?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "After how many seconds without participants it closes: up to 2,592,000; 600 by default. 0 keeps it open until it is closed. It never closes before a first participant has joined.",
  })
  emptyAfterSeconds?: number | null;

  @Field(() => [ID], { nullable: true, description: "Users who are listed; up to 200." })
  userIds?: string[] | null;

  @Field(() => [ID], {
    nullable: true,
    description: "Users who are listed and moderate, as the creator does.",
  })
  moderatorIds?: string[] | null;
}

@InputType({ description: "Changes to a conference. Omitted fields stay unchanged." })
export class UpdateConferenceInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;

  @Field(() => String, { nullable: true, description: "New name." })
  name?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Maximum number of participants: 2 to 12. Participants beyond it stay.",
  })
  seats?: number | null;

  @Field(() => ConferenceAccessName as object, {
    nullable: true,
    description: "Who may join. With LISTED, users who are in and not listed are removed at once.",
  })
  access?: ConferenceAccess | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether it is locked: then only participants who come back and moderators get in.",
  })
  locked?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Maximum bitrate of the video of participants who publish from now on, in bits per second.",
  })
  bitrate?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "After how many seconds without participants it closes: up to 2,592,000; 0 keeps it open until it is closed. It also applies to the present emptiness. INVALID for a conference that a legacy client has created.",
  })
  emptyAfterSeconds?: number | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      "Users who are listed, instead of the present ones. Moderators stay listed unless moderatorIds is given as well. If access is LISTED, participants who are no longer listed are removed immediately.",
  })
  userIds?: string[] | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      "Users who are listed and moderate, instead of the present ones. Those who cease to moderate stay listed unless userIds is given as well.",
  })
  moderatorIds?: string[] | null;
}

@InputType({ description: "A conference." })
export class ConferenceInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;
}

@ObjectType({ description: "Result of an operation on a conference.", simpleResolvers: true })
export class ConferencePayload {
  @Field(() => ConferenceType, { description: "The conference." })
  conference!: ConferenceType;
}

@InputType({ description: "A new link for guests." })
export class CreateConferenceLinkInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;

  @Field(() => Int, {
    nullable: true,
    description: "How long it admits guests, in seconds: a minute to 30 days; a day by default.",
  })
  validSeconds?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "How many guests it admits: 1 to 1,000; 12 by default.",
  })
  maxUses?: number | null;
}

@InputType({ description: "A link to withdraw." })
export class DeleteConferenceLinkInput {
  @Field(() => ID, { description: "The link." })
  linkId!: string;
}

@InputType({ description: "A guest with a link." })
export class AdmitConferenceGuestInput {
  @Field({ description: "Secret of the link." })
  secret!: string;

  @Field({ description: "Name that the others see." })
  name!: string;
}

@ObjectType({
  description: "A link that admits guests without an account to a conference.",
  simpleResolvers: true,
})
export class ConferenceLink {
  @Field(() => ID, { description: "Identifier of the link." })
  id!: number;

  @Field(() => Date, {
    description: "Until when it admits guests; those who are in leave then.",
  })
  expiresAt!: Date;

  @Field(() => Int, { description: "How many guests it admits." })
  maxUses!: number;

  @Field(() => Int, { description: "How many guests it has admitted." })
  uses!: number;

  @Field(() => Date, { description: "When it was created." })
  createdAt!: Date;
}

@ObjectType({ description: "Result of createConferenceLink.", simpleResolvers: true })
export class CreateConferenceLinkPayload {
  @Field(() => ConferenceLink, { description: "The link." })
  link!: ConferenceLink;

  @Field({ description: "Its secret, for admitConferenceGuest. It is not shown again." })
  secret!: string;
}

@ObjectType({ description: "Result of deleteConferenceLink.", simpleResolvers: true })
export class DeleteConferenceLinkPayload {
  @Field(() => ID, { description: "Id of the withdrawn link." })
  deletedLinkId!: number;
}

@ObjectType({ description: "Result of admitConferenceGuest.", simpleResolvers: true })
export class AdmitConferenceGuestPayload {
  @Field({
    description:
      "The guest's token, which is sent as the token of a session is. It is valid for this conference only. It ends with the conference, when the link expires or is deleted, when a moderator removes the guest, and after 24 hours.",
  })
  token!: string;

  @Field(() => ConferenceType, { description: "The conference." })
  conference!: ConferenceType;
}
