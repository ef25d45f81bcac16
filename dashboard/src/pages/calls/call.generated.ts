// Generated from call.graphql by npm run generate.
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

/** Why a user's participation in a call ended before the call was accepted. */
export type CallReason =
  /** The user's device was in another call. */
  | 'BUSY'
  /** The caller hung up before an answer. */
  | 'CANCELLED'
  /** The user declined. */
  | 'DECLINED'
  /** The user's device does not support the call. */
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

/** The type of a signal in the time line of a call. */
export type CallTimeLineKind =
  /** `accept`: accepts a call. */
  | 'ACCEPT'
  /** `call`: starts a call. */
  | 'CALL'
  /** `hangUp`: ends a call, or its ringing on some device. */
  | 'HANG_UP'
  /** `iceCandidates`: sends ICE candidates. */
  | 'ICE_CANDIDATES'
  /** `iceRestart`: offers an ICE restart. */
  | 'ICE_RESTART'
  /** `iceRestartAccept`: accepts an ICE restart. */
  | 'ICE_RESTART_ACCEPT'
  /** Any type that the protocol does not have. */
  | 'OTHER'
  /** `reject`: declines a call. */
  | 'REJECT'
  /** `update`: changes parameters of a call. */
  | 'UPDATE';

/** The media of a call. */
export type CallType =
  /** Audio only; `2` in a stanza. */
  | 'AUDIO'
  /** Video and audio; `1` in a stanza. */
  | 'VIDEO';

export type CallDetailsQueryVariables = Exact<{
  applicationId: string | number;
  id: string | number;
}>;


export type CallDetailsQuery = { application: { id: string, call: { id: string, callId: string, callType: CallType | null, callerId: string | null, state: CallState, endReason: CallEndReason | null, hungUpById: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, connectSeconds: number | null, timeLineTruncated: boolean, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, device: string | null, answeredAt: string | null, pushedAt: string | null, user: { id: string, fullName: string | null, login: string | null, email: string | null } }>, timeLine: Array<{ kind: CallTimeLineKind, count: number, firstAt: string, lastAt: string, senderId: string | null, senderDevice: string | null, recipientId: string | null, recipientDevice: string | null }> } | null } };

export type LiveCallSubscriptionVariables = Exact<{
  applicationId: string | number;
  id: string | number;
}>;


export type LiveCallSubscription = { applicationCall: { id: string, callId: string, callType: CallType | null, callerId: string | null, state: CallState, endReason: CallEndReason | null, hungUpById: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, connectSeconds: number | null, timeLineTruncated: boolean, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, device: string | null, answeredAt: string | null, pushedAt: string | null, user: { id: string, fullName: string | null, login: string | null, email: string | null } }>, timeLine: Array<{ kind: CallTimeLineKind, count: number, firstAt: string, lastAt: string, senderId: string | null, senderDevice: string | null, recipientId: string | null, recipientDevice: string | null }> } };

export type CallFieldsFragment = { id: string, callId: string, callType: CallType | null, callerId: string | null, state: CallState, endReason: CallEndReason | null, hungUpById: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, answerSeconds: number | null, connectSeconds: number | null, timeLineTruncated: boolean, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, device: string | null, answeredAt: string | null, pushedAt: string | null, user: { id: string, fullName: string | null, login: string | null, email: string | null } }>, timeLine: Array<{ kind: CallTimeLineKind, count: number, firstAt: string, lastAt: string, senderId: string | null, senderDevice: string | null, recipientId: string | null, recipientDevice: string | null }> };

export const CallDetailsDocument =
  "query CallDetails($applicationId:ID!$id:ID!){application(id:$applicationId){id call(id:$id){...CallFields}}}fragment CallFields on ApplicationCall{id callId callType callerId state endReason hungUpById startedAt acceptedAt endedAt answerSeconds connectSeconds timeLineTruncated participants{userId caller state reason device answeredAt pushedAt user{id fullName login email}}timeLine{kind count firstAt lastAt senderId senderDevice recipientId recipientDevice}}" as Document<
    CallDetailsQuery,
    CallDetailsQueryVariables
  >;

export const LiveCallDocument =
  "subscription LiveCall($applicationId:ID!$id:ID!){applicationCall(applicationId:$applicationId id:$id){...CallFields}}fragment CallFields on ApplicationCall{id callId callType callerId state endReason hungUpById startedAt acceptedAt endedAt answerSeconds connectSeconds timeLineTruncated participants{userId caller state reason device answeredAt pushedAt user{id fullName login email}}timeLine{kind count firstAt lastAt senderId senderDevice recipientId recipientDevice}}" as Document<
    LiveCallSubscription,
    LiveCallSubscriptionVariables
  >;
