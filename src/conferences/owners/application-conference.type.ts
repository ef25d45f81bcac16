import { ArgsType, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import { PageArgs, PageInfo } from "../../paging/page.type";
import type { MediaSource } from "../engine/engine";
import { ConferencePeerStatistics, MediaSourceName } from "../membership/media.type";
import type { ConferenceOrigin } from "../model/conference";
import type { MemberFigures } from "../peers/peer";
import {
  ConferenceMemberType,
  ConferenceType,
  rowToGraphqlMember,
  toGraphqlConference,
} from "../rooms/conference.type";
import type { ApplicationConference } from "../rows/application-conference-queries";
import type { Member } from "../rows/member-queries";

const ConferenceOriginName: Record<string, ConferenceOrigin> = {
  GRAPHQL: "graphql",
  LEGACY: "legacy",
};
registerEnumType(ConferenceOriginName, {
  name: "ConferenceOrigin",
  description: "Who created a conference.",
  valuesConfig: {
    GRAPHQL: { description: "An operation of GraphQL. It stays open until it is closed." },
    LEGACY: {
      description:
        "The first join of a legacy client. It is closed when it has been empty for 30 seconds.",
    },
  },
});

@ObjectType({
  description: "What the media server has last reported of a member's peer connection.",
  simpleResolvers: true,
})
export class ConferencePeerFigures extends ConferencePeerStatistics {
  @Field(() => MediaSourceName as object, {
    nullable: true,
    description: "What the peer connection publishes; null for one that receives.",
  })
  source!: MediaSource | null;
}

@ObjectType({
  description:
    "A member of a conference in the list of its application. Application.conference has its statistics.",
  simpleResolvers: true,
})
export class ListedApplicationConferenceMember extends ConferenceMemberType {
  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the member has muted its microphone itself; null if unknown: a legacy client cannot tell.",
  })
  audioMutedByMember!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the member has turned its camera off itself; null if unknown.",
  })
  videoMutedByMember!: boolean | null;

  @Field({ description: "Whether a moderator or an owner has muted its sound." })
  audioMutedByModerator!: boolean;

  @Field({ description: "Whether a moderator or an owner has muted its video." })
  videoMutedByModerator!: boolean;
}

@ObjectType("ApplicationConferenceMember", {
  description: "A member of a conference, as the owners of its application see it.",
  simpleResolvers: true,
})
export class ApplicationConferenceMemberType extends ListedApplicationConferenceMember {
  /** The row, and the figures of its conference's peers, for the resolver; no fields. */
  row!: Member;
  figures!: () => Promise<MemberFigures[]>;
}

@ObjectType({
  description:
    "A conference in the list of its application. Application.conference has its history, its links and its members' statistics.",
})
export class ListedApplicationConference extends ConferenceType {
  declare source: ApplicationConference;

  @Field(() => ConferenceOriginName as object, { description: "Who created it." })
  origin!: ConferenceOrigin;

  @Field(() => ID, {
    nullable: true,
    description:
      "The node that hosts it and orders its changes; null while none does, which is usual for an empty one.",
  })
  hostNodeId!: string | null;
}

@ObjectType("ApplicationConference", {
  description: "A conference, as the owners of its application see it.",
})
export class ApplicationConferenceType extends ListedApplicationConference {}

@ObjectType({ description: "A conference and its cursor in a list.", simpleResolvers: true })
export class ApplicationConferenceEdge {
  @Field({ description: "Position in the list." })
  cursor!: string;

  @Field(() => ListedApplicationConference, { description: "The conference." })
  node!: ListedApplicationConference;
}

@ObjectType({ description: "Conferences of an application.", simpleResolvers: true })
export class ApplicationConferenceConnection {
  @Field(() => [ApplicationConferenceEdge], { description: "The conferences with their cursors." })
  edges!: ApplicationConferenceEdge[];

  @Field(() => [ListedApplicationConference], { description: "The conferences." })
  nodes!: ListedApplicationConference[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}

@ArgsType()
export class ApplicationConferenceArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    description: "Only open conferences if true, only closed ones if false; all when omitted.",
  })
  open?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Only conferences whose names begin with this text, in upper or lower case: by name, then by age. Then after goes with first, and before with last.",
  })
  name?: string | null;
}

/** Converts a conference. */
export function toOwnersConference(conference: ApplicationConference): ApplicationConferenceType {
  const { origin, host } = conference;
  return {
    ...toGraphqlConference(conference),
    source: conference,
    origin,
    hostNodeId: host,
  };
}

/** Converts a member in a list. */
export function toListedMember(row: Member): ListedApplicationConferenceMember {
  return {
    ...rowToGraphqlMember(row),
    audioMutedByMember: row.audioMuted,
    videoMutedByMember: row.videoMuted,
    audioMutedByModerator: row.audioBlocked,
    videoMutedByModerator: row.videoBlocked,
  };
}

/** Converts a member. @param figures reads the figures of the conference's peers */
export function toOwnersMember(
  row: Member,
  figures: () => Promise<MemberFigures[]>,
): ApplicationConferenceMemberType {
  return { ...toListedMember(row), row, figures };
}
