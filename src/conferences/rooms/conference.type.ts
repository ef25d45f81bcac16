import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { PageInfo } from "../../paging/page.type";
import type { Conference, ConferenceAccess, MemberState } from "../model/conference";
import type { LeaveReason } from "../model/conference-event";
import { type Member, memberState } from "../rows/member-queries";

/** GraphQL names of who may join. */
export const ConferenceAccessName: Record<string, ConferenceAccess> = {
  EVERYONE: "everyone",
  LISTED: "listed",
};
registerEnumType(ConferenceAccessName, {
  name: "ConferenceAccess",
  description: "Who may join a conference, besides its creator and guests with a link.",
  valuesConfig: {
    EVERYONE: { description: "Every user of the application." },
    LISTED: { description: "Users that the conference lists." },
  },
});

const LeaveReasonName: Record<string, LeaveReason> = {
  LEFT: "left",
  REMOVED: "removed",
  SESSION_ENDED: "session-ended",
  LINK_WITHDRAWN: "link-withdrawn",
  CONFERENCE_CLOSED: "conference-closed",
  MEDIA_FAILURE: "media-failure",
};
registerEnumType(LeaveReasonName, {
  name: "ConferenceLeaveReason",
  description: "Why a member is no longer in a conference.",
  valuesConfig: {
    LEFT: { description: "It left, or its connections were gone for too long." },
    REMOVED: { description: "A moderator removed it." },
    SESSION_ENDED: {
      description: "Its session or its guest's token has ended, or its user was deleted.",
    },
    LINK_WITHDRAWN: {
      description: "The link that admitted it was withdrawn, or its creator no longer moderates.",
    },
    CONFERENCE_CLOSED: { description: "The conference was closed." },
    MEDIA_FAILURE: {
      description:
        "The server has ended the conference, because what its members sent has repeatedly ended the media server's process.",
    },
  },
});

/** The enum of reasons, for the events. */
export const LeaveReasons = LeaveReasonName;

@ObjectType("ConferenceMember", {
  description: "A member of a conference. A user is one member, whatever the number of devices.",
  simpleResolvers: true,
})
export class ConferenceMemberType {
  @Field(() => ID, {
    description:
      "Identifier of the member in the conference: the user's id, or the number of a guest by link, which no user has.",
  })
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user; null for a guest who was admitted by a link.",
  })
  userId!: number | null;

  @Field({ description: "Name of the member: the user's full name or login, or the guest's name." })
  name!: string;

  @Field({ description: "The device that takes part." })
  device!: string;

  @Field({ description: "Whether the member moderates." })
  moderator!: boolean;

  @Field(() => Date, { description: "When the member joined." })
  joinedAt!: Date;

  @Field({ description: "Whether media of the microphone and camera arrives." })
  publishing!: boolean;

  @Field({ description: "Whether a shared screen arrives." })
  sharingScreen!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the microphone is muted, by the member or by a moderator; null if unknown: a legacy client cannot tell.",
  })
  audioMuted!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the camera is off, or a moderator has muted the video; null if unknown.",
  })
  videoMuted!: boolean | null;
}

@ObjectType("Conference", {
  description: "A conference of an application: a room for up to twelve members.",
})
export class ConferenceType {
  /** For the members' resolver; not a field. */
  source!: Conference;

  @Field(() => ID, { description: "Identifier of the conference." })
  id!: number;

  @Field({ description: "Name, unique among the open conferences of the application." })
  name!: string;

  @Field(() => Int, { description: "Maximum number of members: 2 to 12." })
  seats!: number;

  @Field({ description: "Whether members may send video." })
  video!: boolean;

  @Field(() => ConferenceAccessName as object, { description: "Who may join." })
  access!: ConferenceAccess;

  @Field({ description: "Whether it is locked: then only members who come back get in." })
  locked!: boolean;

  @Field(() => Int, { description: "Maximum bitrate of each member's video, in bits per second." })
  bitrate!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user who created it; null if that user was deleted.",
  })
  creatorId!: number | null;

  @Field(() => Date, { description: "When it was created." })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: "When it was closed; null while it is open." })
  closedAt!: Date | null;
}

@ObjectType({ description: "Somebody's time in a conference.", simpleResolvers: true })
export class ConferenceParticipation {
  @Field(() => ID, { description: "Identifier of the participation." })
  id!: number;

  @Field(() => ID, { nullable: true, description: "The user; null for a guest by link." })
  userId!: number | null;

  @Field({ description: "Name of the member." })
  name!: string;

  @Field(() => Date, { description: "When the member joined." })
  joinedAt!: Date;

  @Field(() => Date, { nullable: true, description: "When the member left; null while it is in." })
  leftAt!: Date | null;

  @Field(() => LeaveReasonName as object, { nullable: true, description: "Why it left." })
  leaveReason!: LeaveReason | null;
}

@ObjectType({ description: "A conference and its cursor in a list.", simpleResolvers: true })
export class ConferenceEdge {
  @Field({ description: "Position in the list." })
  cursor!: string;

  @Field(() => ConferenceType, { description: "The conference." })
  node!: ConferenceType;
}

@ObjectType({ description: "Conferences, newest first.", simpleResolvers: true })
export class ConferenceConnection {
  @Field(() => [ConferenceEdge], { description: "The conferences with their cursors." })
  edges!: ConferenceEdge[];

  @Field(() => [ConferenceType], { description: "The conferences." })
  nodes!: ConferenceType[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}

@ObjectType({ description: "A participation and its cursor in a list.", simpleResolvers: true })
export class ConferenceParticipationEdge {
  @Field({ description: "Position in the list." })
  cursor!: string;

  @Field(() => ConferenceParticipation, { description: "The participation." })
  node!: ConferenceParticipation;
}

@ObjectType({
  description: "Who has been in a conference, by the time they joined.",
  simpleResolvers: true,
})
export class ConferenceParticipationConnection {
  @Field(() => [ConferenceParticipationEdge], { description: "Participations with cursors." })
  edges!: ConferenceParticipationEdge[];

  @Field(() => [ConferenceParticipation], { description: "The participations." })
  nodes!: ConferenceParticipation[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}

/** Converts a conference. */
export function toGraphqlConference(conference: Conference): ConferenceType {
  const { id, name, seats, video, access, locked, bitrate, createdBy, createdAt, closedAt } =
    conference;
  const settings = { id, name, seats, video, access, locked, bitrate };
  return { source: conference, ...settings, creatorId: createdBy, createdAt, closedAt };
}

/** Converts a member as others see it. */
export function toGraphqlMember(member: MemberState): ConferenceMemberType {
  const { number, kind, name, device, moderator, publishing, screen, audioMuted, videoMuted } =
    member;
  return {
    id: number,
    userId: kind === "user" ? number : null,
    name,
    device,
    moderator,
    joinedAt: new Date(member.joinedAt),
    publishing,
    sharingScreen: screen,
    audioMuted,
    videoMuted,
  };
}

/** Converts a row of a member. */
export function rowToGraphqlMember(member: Member): ConferenceMemberType {
  return toGraphqlMember(memberState(member));
}
