import { Field, ID, ObjectType, registerEnumType } from "type-graphql";
import { connectionOf, edgeOf } from "../../paging/page.type";
import type { LeaveReason } from "../model/conference-event";

/** GraphQL names of why participants leave. */
export const LeaveReasonName: Record<string, LeaveReason> = {
  LEFT: "left",
  REMOVED: "removed",
  SESSION_ENDED: "session-ended",
  LINK_WITHDRAWN: "link-withdrawn",
  CONFERENCE_CLOSED: "conference-closed",
  MEDIA_FAILURE: "media-failure",
};
registerEnumType(LeaveReasonName, {
  name: "ConferenceLeaveReason",
  description: "Why a participant is no longer in a conference.",
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
        "The server has ended the conference, because what its participants sent has repeatedly ended the media server's process.",
    },
  },
});

@ObjectType({
  description: "A participant's last stay in a conference. There is one of each participant.",
  simpleResolvers: true,
})
export class ConferenceParticipation {
  @Field(() => ID, { description: "Identifier of the participation." })
  id!: number;

  @Field(() => ID, { nullable: true, description: "The user; null for a guest by link." })
  userId!: number | null;

  @Field({ description: "Name of the participant." })
  name!: string;

  @Field(() => Date, { description: "When the participant joined for the first time." })
  firstJoinedAt!: Date;

  @Field(() => Date, { description: "When the participant joined the last time." })
  joinedAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: "When the participant left; null while it is in.",
  })
  leftAt!: Date | null;

  @Field(() => LeaveReasonName as object, { nullable: true, description: "Why it left." })
  leaveReason!: LeaveReason | null;
}

const ConferenceParticipationEdge = edgeOf<ConferenceParticipation>(
  "ConferenceParticipationEdge",
  "participation",
  () => ConferenceParticipation,
);

@ObjectType({
  description: "Who has been in a conference, by the time of the last join.",
  simpleResolvers: true,
})
export class ConferenceParticipationConnection extends connectionOf<ConferenceParticipation>(
  ConferenceParticipationEdge,
  "participations",
  () => ConferenceParticipation,
) {}
