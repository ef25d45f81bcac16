import type { PushEventType } from "../../../platform/store/generated/enums";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";

export type { PushEventType } from "../../../platform/store/generated/enums";

/** Kinds of events: API requests, incoming-call pushes, what ends their ring, and missed-call pushes. */
export const PUSH_EVENT_KINDS = ["API", "CALL", "CALL_END", "MISSED_CALL"] as const;
/** Kind of an event. */
export type PushEventKind = (typeof PUSH_EVENT_KINDS)[number];

/** States of an event, see {@link eventStateOf}. */
export const PUSH_EVENT_STATES = ["SCHEDULED", "SENDING", "FINISHED"] as const;
/** State of an event. */
export type PushEventState = (typeof PUSH_EVENT_STATES)[number];

/** Sender of a push: a user, or, with userId null, the application's owner. */
export interface Sender {
  applicationId: number;
  userId: number | null;
}

/** A requested push (schema/rest/push-events.graphql). A universal push has one event per channel. */
export interface PushEvent {
  id: number;
  /** Same as `id`, by its name in GraphQL. */
  databaseId: number;
  applicationId: number;
  /** Same as `applicationId`, by its name in GraphQL. */
  applicationDatabaseId: number;
  /** The sender; null for the application's owner and for pushes of a call. */
  userId: number | null;
  /** Same as `userId`, by its name in GraphQL. */
  userDatabaseId: number | null;
  eventType: PushEventType;
  channel: PushChannel;
  environment: PushEnvironment;
  /** The message as stored (payload/message.ts). */
  message: string;
  name: string | null;
  date: Date | null;
  endDate: Date | null;
  /** Period of a schedule, in seconds. */
  period: number | null;
  selector: Selector;
  tagQuery: string | null;
  universal: boolean;
  /** Number of dispatches. */
  occurredCount: number;
  /** Whether dispatches are pending. */
  active: boolean;
  kind: PushEventKind;
  /** Counts of deliveries by outcome, over all dispatches. */
  deliveryCount: number;
  acceptedCount: number;
  unregisteredCount: number;
  failedCount: number;
  /** The next dispatch of a schedule; null without one. */
  nextRunAt: Date | null;
  /** Whether deliveries of the current dispatch are still being written. */
  fanningOut: boolean;
  /** When somebody stopped the event before its end; null otherwise. */
  stoppedAt: Date | null;
  /** When the event was withdrawn: deliveries that were unsent then are not sent. */
  withdrawnAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Number of deliveries without a final outcome. */
export function pendingCount(
  event: Pick<PushEvent, "deliveryCount" | "acceptedCount" | "unregisteredCount" | "failedCount">,
): number {
  const { deliveryCount, acceptedCount, unregisteredCount, failedCount } = event;
  return Math.max(0, deliveryCount - acceptedCount - unregisteredCount - failedCount);
}

/** Computes the state of an event; `STATE` in event-list-queries.ts says the same in SQL. */
export function eventStateOf(event: PushEvent): PushEventState {
  if (event.nextRunAt !== null) return "SCHEDULED";
  return event.fanningOut || pendingCount(event) > 0 ? "SENDING" : "FINISHED";
}
