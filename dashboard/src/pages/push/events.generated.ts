// Generated from events.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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

/** Which events of an application to list. Omitted fields allow all. */
export type PushEventFilter = {
  /** Only this kind. */
  kind?: PushEventKind | null | undefined;
  /** Only this state; SCHEDULED for active schedules. */
  state?: PushEventState | null | undefined;
};

/** Who requested a push. */
export type PushEventKind =
  /** A user, or the application's owner. */
  | 'API'
  /** The service, for an incoming call. */
  | 'CALL';

/** State of an event. */
export type PushEventState =
  /** No dispatch and no delivery is pending. */
  | 'FINISHED'
  /** A dispatch is due at nextRunAt. Deliveries of an earlier one may still be pending. */
  | 'SCHEDULED'
  /** Deliveries of the last dispatch are being written, or are pending. */
  | 'SENDING';

/** When a push is dispatched. */
export type PushEventType =
  /** Once, at a given date. */
  | 'FIXED_DATE'
  /** Once, immediately. */
  | 'ONE_SHOT'
  /** Periodically from a date on, optionally until an end date. */
  | 'PERIOD_DATE';

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

/** An event of an application to stop. */
export type StopApplicationPushEventInput = {
  /** The application. */
  applicationId: string | number;
  /** An event of the application. */
  eventId: string | number;
  /** Whether deliveries that were not sent yet, or wait for a retry, fail instead of being sent; false by default. */
  withdrawUnsent?: boolean | null | undefined;
};

export type PushEventsQueryVariables = Exact<{
  applicationId: string | number;
  filter?: PushEventFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type PushEventsQuery = { applicationPushEvents: { nodes: Array<{ id: string, applicationId: string, name: string | null, kind: string, channel: PushChannel, environment: PushEnvironment, eventType: PushEventType, state: PushEventState, userId: string | null, tagQuery: string | null, date: string | null, endDate: string | null, period: number | null, nextRunAt: string | null, stoppedAt: string | null, withdrawnAt: string | null, fanningOut: boolean, occurredCount: number, deliveryCount: number, acceptedCount: number, unregisteredCount: number, failedCount: number, pendingCount: number, createdAt: string, notification: { title: string | null, body: string | null } | null }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type PushEventQueryVariables = Exact<{
  id: string | number;
}>;


export type PushEventQuery = { applicationPushEvent: { payload: Record<string, unknown>, id: string, applicationId: string, name: string | null, kind: string, channel: PushChannel, environment: PushEnvironment, eventType: PushEventType, state: PushEventState, userId: string | null, tagQuery: string | null, date: string | null, endDate: string | null, period: number | null, nextRunAt: string | null, stoppedAt: string | null, withdrawnAt: string | null, fanningOut: boolean, occurredCount: number, deliveryCount: number, acceptedCount: number, unregisteredCount: number, failedCount: number, pendingCount: number, createdAt: string, notification: { title: string | null, body: string | null } | null } | null };

export type PushProgressSubscriptionVariables = Exact<{
  id: string | number;
}>;


export type PushProgressSubscription = { applicationPushProgress: { event: { id: string, applicationId: string, name: string | null, kind: string, channel: PushChannel, environment: PushEnvironment, eventType: PushEventType, state: PushEventState, userId: string | null, tagQuery: string | null, date: string | null, endDate: string | null, period: number | null, nextRunAt: string | null, stoppedAt: string | null, withdrawnAt: string | null, fanningOut: boolean, occurredCount: number, deliveryCount: number, acceptedCount: number, unregisteredCount: number, failedCount: number, pendingCount: number, createdAt: string, notification: { title: string | null, body: string | null } | null } } };

export type PushDeliveriesQueryVariables = Exact<{
  eventId: string | number;
  outcome?: PushOutcome | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type PushDeliveriesQuery = { applicationPushDeliveries: { nodes: Array<{ id: string, userId: string | null, outcome: PushOutcome, reason: string | null, attempts: number, occurrence: number, dueAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type StopPushMutationVariables = Exact<{
  input: StopApplicationPushEventInput;
}>;


export type StopPushMutation = { stopApplicationPushEvent: { event: { id: string, applicationId: string, name: string | null, kind: string, channel: PushChannel, environment: PushEnvironment, eventType: PushEventType, state: PushEventState, userId: string | null, tagQuery: string | null, date: string | null, endDate: string | null, period: number | null, nextRunAt: string | null, stoppedAt: string | null, withdrawnAt: string | null, fanningOut: boolean, occurredCount: number, deliveryCount: number, acceptedCount: number, unregisteredCount: number, failedCount: number, pendingCount: number, createdAt: string, notification: { title: string | null, body: string | null } | null } } };

export type EventFieldsFragment = { id: string, applicationId: string, name: string | null, kind: string, channel: PushChannel, environment: PushEnvironment, eventType: PushEventType, state: PushEventState, userId: string | null, tagQuery: string | null, date: string | null, endDate: string | null, period: number | null, nextRunAt: string | null, stoppedAt: string | null, withdrawnAt: string | null, fanningOut: boolean, occurredCount: number, deliveryCount: number, acceptedCount: number, unregisteredCount: number, failedCount: number, pendingCount: number, createdAt: string, notification: { title: string | null, body: string | null } | null };

export const PushEventsDocument =
  "query PushEvents($applicationId:ID!$filter:PushEventFilter$first:Int$after:String$last:Int$before:String){applicationPushEvents(applicationId:$applicationId filter:$filter first:$first after:$after last:$last before:$before){nodes{...EventFields}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}fragment EventFields on PushEvent{id applicationId name kind channel environment eventType state userId notification{title body}tagQuery date endDate period nextRunAt stoppedAt withdrawnAt fanningOut occurredCount deliveryCount acceptedCount unregisteredCount failedCount pendingCount createdAt}" as Document<
    PushEventsQuery,
    PushEventsQueryVariables
  >;

export const PushEventDocument =
  "query PushEvent($id:ID!){applicationPushEvent(id:$id){...EventFields payload}}fragment EventFields on PushEvent{id applicationId name kind channel environment eventType state userId notification{title body}tagQuery date endDate period nextRunAt stoppedAt withdrawnAt fanningOut occurredCount deliveryCount acceptedCount unregisteredCount failedCount pendingCount createdAt}" as Document<
    PushEventQuery,
    PushEventQueryVariables
  >;

export const PushProgressDocument =
  "subscription PushProgress($id:ID!){applicationPushProgress(eventId:$id){event{...EventFields}}}fragment EventFields on PushEvent{id applicationId name kind channel environment eventType state userId notification{title body}tagQuery date endDate period nextRunAt stoppedAt withdrawnAt fanningOut occurredCount deliveryCount acceptedCount unregisteredCount failedCount pendingCount createdAt}" as Document<
    PushProgressSubscription,
    PushProgressSubscriptionVariables
  >;

export const PushDeliveriesDocument =
  "query PushDeliveries($eventId:ID!$outcome:PushOutcome$first:Int$after:String$last:Int$before:String){applicationPushDeliveries(eventId:$eventId outcome:$outcome first:$first after:$after last:$last before:$before){nodes{id userId outcome reason attempts occurrence dueAt updatedAt}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}" as Document<
    PushDeliveriesQuery,
    PushDeliveriesQueryVariables
  >;

export const StopPushDocument =
  "mutation StopPush($input:StopApplicationPushEventInput!){stopApplicationPushEvent(input:$input){event{...EventFields}}}fragment EventFields on PushEvent{id applicationId name kind channel environment eventType state userId notification{title body}tagQuery date endDate period nextRunAt stoppedAt withdrawnAt fanningOut occurredCount deliveryCount acceptedCount unregisteredCount failedCount pendingCount createdAt}" as Document<
    StopPushMutation,
    StopPushMutationVariables
  >;
