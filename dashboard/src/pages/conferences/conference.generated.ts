// Generated from conference.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A conference of one of the owner's applications. */
export type ApplicationConferenceInput = {
  /** The application. */
  applicationId: string | number;
  /** The conference. */
  conferenceId: string | number;
};

/** Who may join a conference, besides its creator and guests with a link. */
export type ConferenceAccess =
  /** Every user of the application. */
  | 'EVERYONE'
  /** Users that the conference lists. */
  | 'LISTED';

/** Why a member is no longer in a conference. */
export type ConferenceLeaveReason =
  /** The conference was closed. */
  | 'CONFERENCE_CLOSED'
  /** It left, or its connections were gone for too long. */
  | 'LEFT'
  /** The link that admitted it was withdrawn, or its creator no longer moderates. */
  | 'LINK_WITHDRAWN'
  /** The server has ended the conference, because what its members sent has repeatedly ended the media server's process. */
  | 'MEDIA_FAILURE'
  /** A moderator removed it. */
  | 'REMOVED'
  /** Its session or its guest's token has ended, or its user was deleted. */
  | 'SESSION_ENDED';

/** What a peer connection publishes. */
export type ConferenceMediaSource =
  /** Microphone and camera. */
  | 'MAIN'
  /** A shared screen, with its sound if there is any. */
  | 'SCREEN';

/** Who created a conference. */
export type ConferenceOrigin =
  /** An operation of GraphQL. It stays open until it is closed. */
  | 'GRAPHQL'
  /** The first join of a legacy client. It is closed when it has been empty for 30 seconds. */
  | 'LEGACY';

/** A member of a conference to mute or unmute. Omitted kinds stay unchanged. */
export type MuteApplicationConferenceMemberInput = {
  /** The application. */
  applicationId: string | number;
  /** Whether its audio is muted. */
  audio?: boolean | null | undefined;
  /** The conference. */
  conferenceId: string | number;
  /** The member. */
  memberId: string | number;
  /** Whether its video is muted. */
  video?: boolean | null | undefined;
};

/** A member of a conference to remove. */
export type RemoveApplicationConferenceMemberInput = {
  /** The application. */
  applicationId: string | number;
  /** The conference. */
  conferenceId: string | number;
  /** The member. */
  memberId: string | number;
};

/** Changes to a conference of one of the account's applications. Omitted fields stay unchanged. */
export type UpdateApplicationConferenceInput = {
  /** Who may join. With LISTED, users who are in and not listed are removed at once. */
  access?: ConferenceAccess | null | undefined;
  /** The application. */
  applicationId: string | number;
  /** Maximum bitrate of the video of members who publish from now on, in bits per second. */
  bitrate?: number | null | undefined;
  /** The conference. */
  conferenceId: string | number;
  /** Whether it is locked: then only members who come back and moderators get in. */
  locked?: boolean | null | undefined;
  /** New name. */
  name?: string | null | undefined;
  /** Maximum number of members: 2 to 12. Members beyond it stay. */
  seats?: number | null | undefined;
};

export type ConferenceDetailsQueryVariables = Exact<{
  applicationId: string | number;
  id: string | number;
}>;


export type ConferenceDetailsQuery = { application: { id: string, conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null, origin: ConferenceOrigin, engine: string | null, hostNodeId: string | null, members: Array<{ id: string, userId: string | null, name: string, device: string, moderator: boolean, joinedAt: string, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, audioMutedByModerator: boolean, videoMuted: boolean | null, videoMutedByModerator: boolean, statistics: Array<{ source: ConferenceMediaSource | null, audioBitrate: number, videoBitrate: number, packetLoss: number, roundTripMs: number | null }> }>, links: Array<{ id: string, createdAt: string, expiresAt: string, maxUses: number, uses: number }> } | null } };

export type LiveConferenceSubscriptionVariables = Exact<{
  applicationId: string | number;
  id: string | number;
}>;


export type LiveConferenceSubscription = { applicationConference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null, origin: ConferenceOrigin, engine: string | null, hostNodeId: string | null, members: Array<{ id: string, userId: string | null, name: string, device: string, moderator: boolean, joinedAt: string, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, audioMutedByModerator: boolean, videoMuted: boolean | null, videoMutedByModerator: boolean, statistics: Array<{ source: ConferenceMediaSource | null, audioBitrate: number, videoBitrate: number, packetLoss: number, roundTripMs: number | null }> }>, links: Array<{ id: string, createdAt: string, expiresAt: string, maxUses: number, uses: number }> } };

export type ConferenceFieldsFragment = { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null, origin: ConferenceOrigin, engine: string | null, hostNodeId: string | null, members: Array<{ id: string, userId: string | null, name: string, device: string, moderator: boolean, joinedAt: string, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, audioMutedByModerator: boolean, videoMuted: boolean | null, videoMutedByModerator: boolean, statistics: Array<{ source: ConferenceMediaSource | null, audioBitrate: number, videoBitrate: number, packetLoss: number, roundTripMs: number | null }> }>, links: Array<{ id: string, createdAt: string, expiresAt: string, maxUses: number, uses: number }> };

export type ConferenceHistoryQueryVariables = Exact<{
  applicationId: string | number;
  id: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConferenceHistoryQuery = { application: { id: string, conference: { id: string, history: { nodes: Array<{ id: string, userId: string | null, name: string, joinedAt: string, leftAt: string | null, leaveReason: ConferenceLeaveReason | null }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } | null } };

export type UpdateConferenceMutationVariables = Exact<{
  input: UpdateApplicationConferenceInput;
}>;


export type UpdateConferenceMutation = { updateApplicationConference: { conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null, origin: ConferenceOrigin, engine: string | null, hostNodeId: string | null, members: Array<{ id: string, userId: string | null, name: string, device: string, moderator: boolean, joinedAt: string, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, audioMutedByModerator: boolean, videoMuted: boolean | null, videoMutedByModerator: boolean, statistics: Array<{ source: ConferenceMediaSource | null, audioBitrate: number, videoBitrate: number, packetLoss: number, roundTripMs: number | null }> }>, links: Array<{ id: string, createdAt: string, expiresAt: string, maxUses: number, uses: number }> } } };

export type CloseConferenceMutationVariables = Exact<{
  input: ApplicationConferenceInput;
}>;


export type CloseConferenceMutation = { closeApplicationConference: { conference: { id: string, closedAt: string | null } } };

export type MuteConferenceMemberMutationVariables = Exact<{
  input: MuteApplicationConferenceMemberInput;
}>;


export type MuteConferenceMemberMutation = { muteApplicationConferenceMember: { member: { id: string } } };

export type RemoveConferenceMemberMutationVariables = Exact<{
  input: RemoveApplicationConferenceMemberInput;
}>;


export type RemoveConferenceMemberMutation = { removeApplicationConferenceMember: { done: boolean } };

export const ConferenceDetailsDocument =
  "query ConferenceDetails($applicationId:ID!$id:ID!){application(id:$applicationId){id conference(id:$id){...ConferenceFields}}}fragment ConferenceFields on ApplicationConference{id name seats video access locked bitrate creatorId createdAt closedAt origin engine hostNodeId members{id userId name device moderator joinedAt publishing sharingScreen audioMuted audioMutedByModerator videoMuted videoMutedByModerator statistics{source audioBitrate videoBitrate packetLoss roundTripMs}}links{id createdAt expiresAt maxUses uses}}" as Document<
    ConferenceDetailsQuery,
    ConferenceDetailsQueryVariables
  >;

export const LiveConferenceDocument =
  "subscription LiveConference($applicationId:ID!$id:ID!){applicationConference(applicationId:$applicationId id:$id){...ConferenceFields}}fragment ConferenceFields on ApplicationConference{id name seats video access locked bitrate creatorId createdAt closedAt origin engine hostNodeId members{id userId name device moderator joinedAt publishing sharingScreen audioMuted audioMutedByModerator videoMuted videoMutedByModerator statistics{source audioBitrate videoBitrate packetLoss roundTripMs}}links{id createdAt expiresAt maxUses uses}}" as Document<
    LiveConferenceSubscription,
    LiveConferenceSubscriptionVariables
  >;

export const ConferenceHistoryDocument =
  "query ConferenceHistory($applicationId:ID!$id:ID!$first:Int$after:String$last:Int$before:String){application(id:$applicationId){id conference(id:$id){id history(first:$first after:$after last:$last before:$before){nodes{id userId name joinedAt leftAt leaveReason}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}}" as Document<
    ConferenceHistoryQuery,
    ConferenceHistoryQueryVariables
  >;

export const UpdateConferenceDocument =
  "mutation UpdateConference($input:UpdateApplicationConferenceInput!){updateApplicationConference(input:$input){conference{...ConferenceFields}}}fragment ConferenceFields on ApplicationConference{id name seats video access locked bitrate creatorId createdAt closedAt origin engine hostNodeId members{id userId name device moderator joinedAt publishing sharingScreen audioMuted audioMutedByModerator videoMuted videoMutedByModerator statistics{source audioBitrate videoBitrate packetLoss roundTripMs}}links{id createdAt expiresAt maxUses uses}}" as Document<
    UpdateConferenceMutation,
    UpdateConferenceMutationVariables
  >;

export const CloseConferenceDocument =
  "mutation CloseConference($input:ApplicationConferenceInput!){closeApplicationConference(input:$input){conference{id closedAt}}}" as Document<
    CloseConferenceMutation,
    CloseConferenceMutationVariables
  >;

export const MuteConferenceMemberDocument =
  "mutation MuteConferenceMember($input:MuteApplicationConferenceMemberInput!){muteApplicationConferenceMember(input:$input){member{id}}}" as Document<
    MuteConferenceMemberMutation,
    MuteConferenceMemberMutationVariables
  >;

export const RemoveConferenceMemberDocument =
  "mutation RemoveConferenceMember($input:RemoveApplicationConferenceMemberInput!){removeApplicationConferenceMember(input:$input){done}}" as Document<
    RemoveConferenceMemberMutation,
    RemoveConferenceMemberMutationVariables
  >;
