// Generated from user.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A user of one of the owner's applications. */
export type ApplicationUserInput = {
  /** The application. */
  applicationId: string | number;
  /** The user. */
  userId: string | number;
};

/** A user of one of the owner's applications to block. */
export type BlockUserInput = {
  /** The application. */
  applicationId: string | number;
  /** Why, up to 255 characters; a note for the owner, which no user sees. */
  reason?: string | null | undefined;
  /** The user. */
  userId: string | number;
};

/** Why a call has ended, as far as its signals tell. A connection that fails is no signal: such a call ends with the hang-up of the one who notices it. */
export type CallEndReason =
  /** The callee's device was in another call. */
  | 'BUSY'
  /** The caller hung up before an answer. */
  | 'CANCELLED'
  /** A callee declined. */
  | 'DECLINED'
  /** It reached no callee, or all of them have been deleted since. */
  | 'FAILED'
  /** Somebody hung up who has been deleted since. */
  | 'HUNG_UP'
  /** A callee hung up, the last one who was in the call if there were several. */
  | 'HUNG_UP_BY_CALLEE'
  /** The caller hung up an accepted call. */
  | 'HUNG_UP_BY_CALLER'
  /** Nobody answered within 60 seconds, or the caller gave up then. */
  | 'MISSED'
  /** The callee's device does not support the call. */
  | 'NOT_SUPPORTED';

/** The state of a call or of one of its participants. */
export type CallState =
  /** Accepted and in progress. */
  | 'ACCEPTED'
  /** The called devices do not support the call. */
  | 'FAILED'
  /** Ended by a hang-up, before or after an answer. */
  | 'HUNG_UP'
  /** Nobody accepted within 60 seconds. */
  | 'MISSED'
  /** Declined by a person, or because the user was in another call. */
  | 'REJECTED'
  /** Ringing; nobody has answered. */
  | 'RINGING';

/** The media of a call. */
export type CallType =
  /** Audio only; `2` in a stanza. */
  | 'AUDIO'
  /** Video and audio; `1` in a stanza. */
  | 'VIDEO';

/** A push subscription of a user of one of the owner's applications. */
export type DeleteApplicationPushSubscriptionInput = {
  /** The application. */
  applicationId: string | number;
  /** The subscription. */
  pushSubscriptionId: string | number;
  /** The user. */
  userId: string | number;
};

/** A session of one of the owner's applications. */
export type EndUserSessionInput = {
  /** The application. */
  applicationId: string | number;
  /** The session. */
  sessionId: string | number;
};

/** The channel that delivers a notification to a device. */
export type PushChannel =
  /** Apple's push service. */
  | 'APNS'
  /** Apple's push service, for calls (PushKit). */
  | 'APNS_VOIP'
  /** Alias of GCM, accepted in input only. */
  | 'FCM'
  /** Firebase Cloud Messaging. */
  | 'GCM'
  /** The push service of a browser (RFC 8030). */
  | 'WEB';

/** Separates the devices of developers from those of users. */
export type PushEnvironment =
  /** Development builds; Apple's sandbox. */
  | 'DEVELOPMENT'
  /** Builds that users install. */
  | 'PRODUCTION';

/** Outcome of a delivery. */
export type PushOutcome =
  /** The push service accepted it. */
  | 'ACCEPTED'
  /** The push service refused it, or all attempts failed. */
  | 'FAILED'
  /** Not attempted yet. */
  | 'PENDING'
  /** The push service could not accept it now; it will be retried. */
  | 'RETRY'
  /** The device is no longer registered; its subscription was deleted. */
  | 'UNREGISTERED';

/** Platform of a device. */
export type PushPlatform =
  /** Android. */
  | 'ANDROID'
  /** iOS and iPadOS. */
  | 'IOS'
  /** A browser. */
  | 'WEB';

/** Changes to a user of one of the owner's applications. Omitted fields stay unchanged; null clears a field. */
export type UpdateApplicationUserInput = {
  /** The application. */
  applicationId: string | number;
  /** Identifier of the user's picture. */
  avatar?: string | null | undefined;
  /** Identifier of a picture; not validated. */
  blobId?: number | null | undefined;
  /** Custom data of the application, up to 5,000 characters. */
  customData?: string | null | undefined;
  /** E-mail address; login or email is required. */
  email?: string | null | undefined;
  /** Identifier in an external system. */
  externalId?: string | null | undefined;
  /** Identifier in an external system. */
  externalUserId?: string | null | undefined;
  /** Facebook id of the profile. */
  facebookId?: string | null | undefined;
  /** Display name. */
  fullName?: string | null | undefined;
  /** 1 to 70 letters, digits or . - _ @ +; login or email is required. */
  login?: string | null | undefined;
  /** New password of at least 8 characters; null changes nothing. Ends all sessions of the user. */
  password?: string | null | undefined;
  /** Phone number. */
  phone?: string | null | undefined;
  /** Tags, at most five; they replace the existing ones. */
  tags?: Array<string> | null | undefined;
  /** Offset from UTC in minutes, -720 to 840. */
  timezone?: number | null | undefined;
  /** Twitter id of the profile. */
  twitterId?: string | null | undefined;
  /** The user. */
  userId: string | number;
  /** Website. */
  website?: string | null | undefined;
};

export type ApplicationUserQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
}>;


export type ApplicationUserQuery = { application: { id: string, user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, tags: Array<string>, timezone: number | null, avatar: string | null, blobId: number | null, customData: string | null, externalId: string | null, externalUserId: string | null, facebookId: string | null, twitterId: string | null, isGuest: boolean, blockedAt: string | null, blockReason: string | null, createdAt: string, updatedAt: string, lastRequestAt: string | null } } };

export type UserProfileFieldsFragment = { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, tags: Array<string>, timezone: number | null, avatar: string | null, blobId: number | null, customData: string | null, externalId: string | null, externalUserId: string | null, facebookId: string | null, twitterId: string | null, isGuest: boolean, blockedAt: string | null, blockReason: string | null, createdAt: string, updatedAt: string, lastRequestAt: string | null };

export type UpdateApplicationUserMutationVariables = Exact<{
  input: UpdateApplicationUserInput;
}>;


export type UpdateApplicationUserMutation = { updateApplicationUser: { user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, tags: Array<string>, timezone: number | null, avatar: string | null, blobId: number | null, customData: string | null, externalId: string | null, externalUserId: string | null, facebookId: string | null, twitterId: string | null, isGuest: boolean, blockedAt: string | null, blockReason: string | null, createdAt: string, updatedAt: string, lastRequestAt: string | null } } };

export type BlockUserMutationVariables = Exact<{
  input: BlockUserInput;
}>;


export type BlockUserMutation = { blockUser: { user: { id: string, blockedAt: string | null, blockReason: string | null } } };

export type UnblockUserMutationVariables = Exact<{
  input: ApplicationUserInput;
}>;


export type UnblockUserMutation = { unblockUser: { user: { id: string, blockedAt: string | null } } };

export type ExportUserMutationVariables = Exact<{
  input: ApplicationUserInput;
  after?: string | null | undefined;
}>;


export type ExportUserMutation = { exportUser: { export: Record<string, unknown>, endCursor: string | null } };

export type EraseUserMutationVariables = Exact<{
  input: ApplicationUserInput;
}>;


export type EraseUserMutation = { eraseUser: { erasedUserId: string } };

export type UserSessionsQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type UserSessionsQuery = { application: { id: string, user: { id: string, sessions: { totalCount: number, totalIsExact: boolean, nodes: Array<{ id: string, ip: string | null, userAgent: string | null, lastActivityAt: string, expiresAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } } };

export type EndUserSessionMutationVariables = Exact<{
  input: EndUserSessionInput;
}>;


export type EndUserSessionMutation = { endUserSession: { endedSessionId: string } };

export type EndUserSessionsMutationVariables = Exact<{
  input: ApplicationUserInput;
}>;


export type EndUserSessionsMutation = { endUserSessions: { endedCount: number } };

export type UserDevicesQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type UserDevicesQuery = { application: { id: string, user: { id: string, pushSubscriptions: { totalCount: number, nodes: Array<{ id: string, channel: PushChannel, environment: PushEnvironment, platform: PushPlatform, udid: string, bundleId: string | null, createdAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } } };

export type DeleteUserDeviceMutationVariables = Exact<{
  input: DeleteApplicationPushSubscriptionInput;
}>;


export type DeleteUserDeviceMutation = { deleteApplicationPushSubscription: { deletedPushSubscriptionId: string } };

export type UserCallsQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type UserCallsQuery = { application: { id: string, calls: { nodes: Array<{ id: string, callType: CallType | null, callerId: string | null, state: CallState, endReason: CallEndReason | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, participants: Array<{ userId: string, user: { id: string, login: string | null, fullName: string | null } }> }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export type UserPushesQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type UserPushesQuery = { applicationUserPushDeliveries: { nodes: Array<{ id: string, eventId: string, outcome: PushOutcome, reason: string | null, attempts: number, createdAt: string, updatedAt: string, dueAt: string, subscriptionId: string | null }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export const ApplicationUserDocument =
  "query ApplicationUser($applicationId:ID!$userId:ID!){application(id:$applicationId){id user(id:$userId){...UserProfileFields}}}fragment UserProfileFields on ApplicationUser{id login email fullName phone website tags timezone avatar blobId customData externalId externalUserId facebookId twitterId isGuest blockedAt blockReason createdAt updatedAt lastRequestAt}" as Document<
    ApplicationUserQuery,
    ApplicationUserQueryVariables
  >;

export const UpdateApplicationUserDocument =
  "mutation UpdateApplicationUser($input:UpdateApplicationUserInput!){updateApplicationUser(input:$input){user{...UserProfileFields}}}fragment UserProfileFields on ApplicationUser{id login email fullName phone website tags timezone avatar blobId customData externalId externalUserId facebookId twitterId isGuest blockedAt blockReason createdAt updatedAt lastRequestAt}" as Document<
    UpdateApplicationUserMutation,
    UpdateApplicationUserMutationVariables
  >;

export const BlockUserDocument =
  "mutation BlockUser($input:BlockUserInput!){blockUser(input:$input){user{id blockedAt blockReason}}}" as Document<
    BlockUserMutation,
    BlockUserMutationVariables
  >;

export const UnblockUserDocument =
  "mutation UnblockUser($input:ApplicationUserInput!){unblockUser(input:$input){user{id blockedAt}}}" as Document<
    UnblockUserMutation,
    UnblockUserMutationVariables
  >;

export const ExportUserDocument =
  "mutation ExportUser($input:ApplicationUserInput!$after:String){exportUser(input:$input after:$after){export endCursor}}" as Document<
    ExportUserMutation,
    ExportUserMutationVariables
  >;

export const EraseUserDocument =
  "mutation EraseUser($input:ApplicationUserInput!){eraseUser(input:$input){erasedUserId}}" as Document<
    EraseUserMutation,
    EraseUserMutationVariables
  >;

export const UserSessionsDocument =
  "query UserSessions($applicationId:ID!$userId:ID!$first:Int$after:String$last:Int$before:String){application(id:$applicationId){id user(id:$userId){id sessions(first:$first after:$after last:$last before:$before){nodes{id ip userAgent lastActivityAt expiresAt}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}totalCount totalIsExact}}}}" as Document<
    UserSessionsQuery,
    UserSessionsQueryVariables
  >;

export const EndUserSessionDocument =
  "mutation EndUserSession($input:EndUserSessionInput!){endUserSession(input:$input){endedSessionId}}" as Document<
    EndUserSessionMutation,
    EndUserSessionMutationVariables
  >;

export const EndUserSessionsDocument =
  "mutation EndUserSessions($input:ApplicationUserInput!){endUserSessions(input:$input){endedCount}}" as Document<
    EndUserSessionsMutation,
    EndUserSessionsMutationVariables
  >;

export const UserDevicesDocument =
  "query UserDevices($applicationId:ID!$userId:ID!$first:Int$after:String$last:Int$before:String){application(id:$applicationId){id user(id:$userId){id pushSubscriptions(first:$first after:$after last:$last before:$before){nodes{id channel environment platform udid bundleId createdAt updatedAt}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}totalCount}}}}" as Document<
    UserDevicesQuery,
    UserDevicesQueryVariables
  >;

export const DeleteUserDeviceDocument =
  "mutation DeleteUserDevice($input:DeleteApplicationPushSubscriptionInput!){deleteApplicationPushSubscription(input:$input){deletedPushSubscriptionId}}" as Document<
    DeleteUserDeviceMutation,
    DeleteUserDeviceMutationVariables
  >;

export const UserCallsDocument =
  "query UserCalls($applicationId:ID!$userId:ID!$first:Int$after:String$last:Int$before:String){application(id:$applicationId){id calls(userId:$userId first:$first after:$after last:$last before:$before){nodes{id callType callerId state endReason startedAt acceptedAt endedAt participants{userId user{id login fullName}}}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}" as Document<
    UserCallsQuery,
    UserCallsQueryVariables
  >;

export const UserPushesDocument =
  "query UserPushes($applicationId:ID!$userId:ID!$first:Int$after:String$last:Int$before:String){applicationUserPushDeliveries(applicationId:$applicationId userId:$userId first:$first after:$after last:$last before:$before){nodes{id eventId outcome reason attempts createdAt updatedAt dueAt subscriptionId}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}" as Document<
    UserPushesQuery,
    UserPushesQueryVariables
  >;
