// Generated from calls.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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

export type CallsQueryVariables = Exact<{
  applicationId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  states?: Array<CallState> | CallState | null | undefined;
  userId?: string | number | null | undefined;
  since?: string | number | null | undefined;
  until?: string | number | null | undefined;
}>;


export type CallsQuery = { application: { id: string, calls: { nodes: Array<{ id: string, callType: CallType | null, state: CallState, endReason: CallEndReason | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, participants: Array<{ userId: string, caller: boolean, user: { id: string, fullName: string | null, login: string | null, email: string | null } }> }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export type LiveCallsSubscriptionVariables = Exact<{
  applicationId: string | number;
}>;


export type LiveCallsSubscription = { applicationCalls: { id: string, callType: CallType | null, state: CallState, endReason: CallEndReason | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, participants: Array<{ userId: string, caller: boolean, user: { id: string, fullName: string | null, login: string | null, email: string | null } }> } };

export type ListedCallFragment = { id: string, callType: CallType | null, state: CallState, endReason: CallEndReason | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, participants: Array<{ userId: string, caller: boolean, user: { id: string, fullName: string | null, login: string | null, email: string | null } }> };

export type FindCallUsersQueryVariables = Exact<{
  applicationId: string | number;
  search: string;
}>;


export type FindCallUsersQuery = { application: { id: string, users: { nodes: Array<{ id: string, fullName: string | null, login: string | null, email: string | null }> } } };

export type CallUserQueryVariables = Exact<{
  applicationId: string | number;
  userId: string | number;
}>;


export type CallUserQuery = { application: { id: string, user: { id: string, fullName: string | null, login: string | null, email: string | null } } };

export const CallsDocument =
  "query Calls($applicationId:ID!$first:Int$after:String$last:Int$before:String$states:[CallState!]$userId:ID$since:DateTime$until:DateTime){application(id:$applicationId){id calls(first:$first after:$after last:$last before:$before states:$states userId:$userId since:$since until:$until){nodes{...ListedCall}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}fragment ListedCall on ApplicationCall{id callType state endReason startedAt acceptedAt endedAt answerSeconds participants{userId caller user{id fullName login email}}}" as Document<
    CallsQuery,
    CallsQueryVariables
  >;

export const LiveCallsDocument =
  "subscription LiveCalls($applicationId:ID!){applicationCalls(applicationId:$applicationId){...ListedCall}}fragment ListedCall on ApplicationCall{id callType state endReason startedAt acceptedAt endedAt answerSeconds participants{userId caller user{id fullName login email}}}" as Document<
    LiveCallsSubscription,
    LiveCallsSubscriptionVariables
  >;

export const FindCallUsersDocument =
  "query FindCallUsers($applicationId:ID!$search:String!){application(id:$applicationId){id users(first:20 search:$search){nodes{id fullName login email}}}}" as Document<
    FindCallUsersQuery,
    FindCallUsersQueryVariables
  >;

export const CallUserDocument =
  "query CallUser($applicationId:ID!$userId:ID!){application(id:$applicationId){id user(id:$userId){id fullName login email}}}" as Document<
    CallUserQuery,
    CallUserQueryVariables
  >;
