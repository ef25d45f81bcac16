import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { VisibleTo } from "../../access/visible-to";
import { connectionOf, edgeOf } from "../../paging/page.type";
import type {
  Conference,
  ConferenceAccess,
  ConferenceOrigin,
  ConferenceParticipantState,
} from "../model/conference";
import { type Participant, participantState } from "../rows/participant-queries";

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

const ConferenceOriginName: Record<string, ConferenceOrigin> = {
  GRAPHQL: "graphql",
  LEGACY: "legacy",
};
registerEnumType(ConferenceOriginName, {
  name: "ConferenceOrigin",
  description: "Who created a conference.",
  valuesConfig: {
    GRAPHQL: {
      description:
        "An operation of GraphQL. It is closed when it has been empty for emptyAfterSeconds, after a first participant has joined.",
    },
    LEGACY: {
      description:
        "The first join of a legacy client. It is closed when it has been empty for 30 seconds.",
    },
  },
});

/** What the description of a field says that only members of the application's account see. */
const MEMBERS_ONLY = "for everybody but members of the application's account.";

@ObjectType("ConferenceParticipant", {
  description:
    "A participant of a conference. A user is one participant, whatever the number of devices.",
  simpleResolvers: true,
})
export class ConferenceParticipantType {
  /** The application whose account's members see all fields; null if it is not known. Not a field. */
  applicationId!: number | null;

  @Field(() => ID, {
    description:
      "Identifier of the participant in the conference: the user's id, or the number of a guest by link, which no user has.",
  })
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user; null for a guest who was admitted by a link.",
  })
  userId!: number | null;

  @Field({
    description: "Name of the participant: the user's full name or login, or the guest's name.",
  })
  name!: string;

  @Field({ description: "The device that takes part." })
  device!: string;

  @Field({ description: "Whether the participant moderates." })
  moderator!: boolean;

  @Field(() => Date, { description: "When the participant joined." })
  joinedAt!: Date;

  @Field({ description: "Whether media of the microphone and camera arrives." })
  publishing!: boolean;

  @Field({ description: "Whether a shared screen arrives." })
  sharingScreen!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the microphone is muted, by the participant or by a moderator; null if unknown: a legacy client cannot tell.",
  })
  audioMuted!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the camera is off, or a moderator has muted the video; null if unknown.",
  })
  videoMuted!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: `Whether the participant has muted its microphone itself. Null if unknown, and ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", ({ applicationId }: ConferenceParticipantType) => applicationId)
  audioMutedByParticipant!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: `Whether the participant has turned its camera off itself. Null if unknown, and ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", ({ applicationId }: ConferenceParticipantType) => applicationId)
  videoMutedByParticipant!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: `Whether a moderator, or a member of the account, has muted its sound. Null ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", ({ applicationId }: ConferenceParticipantType) => applicationId)
  audioMutedByModerator!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: `Whether a moderator, or a member of the account, has muted its video. Null ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", ({ applicationId }: ConferenceParticipantType) => applicationId)
  videoMutedByModerator!: boolean | null;
}

/** The application whose account's members see all fields of a conference. */
export const applicationOfConference = ({ source }: ConferenceType): number => source.applicationId;

@ObjectType("Conference", {
  description: "A conference of an application: a room for up to twelve participants.",
})
export class ConferenceType {
  /** What it was made of, for resolvers; not a field. */
  source!: Conference;

  @Field(() => ID, { description: "Identifier of the conference." })
  id!: number;

  @Field({
    description: "Name, unique among the open conferences for everyone of the application.",
  })
  name!: string;

  @Field(() => Int, { description: "Maximum number of participants: 2 to 12." })
  seats!: number;

  @Field({ description: "Whether participants may send video." })
  video!: boolean;

  @Field(() => ConferenceAccessName as object, { description: "Who may join." })
  access!: ConferenceAccess;

  @Field({ description: "Whether it is locked: then only participants who come back get in." })
  locked!: boolean;

  @Field(() => Int, {
    description: "Maximum bitrate of each participant's video, in bits per second.",
  })
  bitrate!: number;

  @Field(() => Int, {
    description:
      "After how many seconds without participants it closes, once a first participant has joined; 0 if it stays open until it is closed.",
  })
  emptyAfterSeconds!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user who created it; null if that user was deleted.",
  })
  creatorId!: number | null;

  @Field(() => Date, { description: "When it was created." })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: "When it was closed; null while it is open." })
  closedAt!: Date | null;

  @Field(() => ID, { nullable: true, description: `Its application. Null ${MEMBERS_ONLY}` })
  @VisibleTo("support", applicationOfConference)
  applicationId!: number | null;

  @Field(() => ConferenceOriginName as object, {
    nullable: true,
    description: `Who created it. Null ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", applicationOfConference)
  origin!: ConferenceOrigin | null;

  @Field(() => ID, {
    nullable: true,
    description: `The node that hosts it and orders its changes. Null while none does, which is usual for an empty one, and ${MEMBERS_ONLY}`,
  })
  @VisibleTo("support", applicationOfConference)
  hostNodeId!: string | null;
}

const ConferenceEdge = edgeOf<ConferenceType>("ConferenceEdge", "conference", () => ConferenceType);

@ObjectType({ description: "Conferences, with their cursors.", simpleResolvers: true })
export class ConferenceConnection extends connectionOf<ConferenceType>(
  ConferenceEdge,
  "conferences",
  () => ConferenceType,
) {}

/** Converts a conference. */
export function toGraphqlConference(conference: Conference): ConferenceType {
  const { createdBy, host, sequence: _, ...fields } = conference;
  return { source: conference, ...fields, creatorId: createdBy, hostNodeId: host };
}

/** Converts a participant as the others in the conference see it. */
export function toGraphqlParticipant(
  participant: ConferenceParticipantState,
): ConferenceParticipantType {
  const { number, kind, name, device, moderator, publishing, screen, audioMuted, videoMuted } =
    participant;
  return {
    applicationId: null,
    id: number,
    userId: kind === "user" ? number : null,
    name,
    device,
    moderator,
    joinedAt: new Date(participant.joinedAt),
    publishing,
    sharingScreen: screen,
    audioMuted,
    videoMuted,
    audioMutedByParticipant: null,
    videoMutedByParticipant: null,
    audioMutedByModerator: null,
    videoMutedByModerator: null,
  };
}

/** Converts a row of a participant, with what only members of the account see. */
export function rowToGraphqlParticipant(
  participant: Participant,
  applicationId: number,
): ConferenceParticipantType {
  return {
    ...toGraphqlParticipant(participantState(participant)),
    applicationId,
    audioMutedByParticipant: participant.audioMuted,
    videoMutedByParticipant: participant.videoMuted,
    audioMutedByModerator: participant.audioBlocked,
    videoMutedByModerator: participant.videoBlocked,
  };
}
