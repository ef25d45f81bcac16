import type { PushEventType } from "../../store/generated/enums";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "./selector";

export type { PushEventType } from "../../store/generated/enums";

/** A requested push (schema/rest/push-events.graphql). A universal push has one event per channel. */
export interface PushEvent {
  id: number;
  /** Same as `id`, by its name in GraphQL. */
  databaseId: number;
  applicationId: number;
  /** Same as `applicationId`, by its name in GraphQL. */
  applicationDatabaseId: number;
  /** The sender; null for the application's owner and for an incoming-call push. */
  userId: number | null;
  /** Same as `userId`, by its name in GraphQL. */
  userDatabaseId: number | null;
  eventType: PushEventType;
  channel: PushChannel;
  environment: PushEnvironment;
  /** The payload as submitted. */
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
  kind: string;
  /** Counts of deliveries by outcome, over all dispatches. */
  deliveryCount: number;
  acceptedCount: number;
  unregisteredCount: number;
  failedCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns that {@link toEvent} reads, of `push_events` aliased as `e`. */
export const EVENT_COLUMNS = `e.id, e.application_id, e.user_id, e.event_type, e.channel,
  e.environment, e.message, e.name, e.date, e.end_date, e.period, e.selector, e.tag_query,
  e.universal, e.occured_count, e.active, e.kind, e.delivery_count, e.accepted_count, e.gone_count,
  e.refused_count, e.created_at, e.updated_at`;

/** A row of {@link EVENT_COLUMNS}. */
export interface EventRow {
  id: number;
  application_id: number;
  user_id: number | null;
  event_type: PushEventType;
  channel: PushChannel;
  environment: PushEnvironment;
  message: string;
  name: string | null;
  date: Date | null;
  end_date: Date | null;
  period: number | null;
  selector: Selector;
  tag_query: string | null;
  universal: boolean;
  occured_count: number;
  active: boolean;
  kind: string;
  delivery_count: number;
  accepted_count: number;
  gone_count: number;
  refused_count: number;
  created_at: Date;
  updated_at: Date;
}

/** Converts a row to an event. */
export function toEvent(row: EventRow): PushEvent {
  return {
    id: row.id,
    databaseId: row.id,
    applicationId: row.application_id,
    applicationDatabaseId: row.application_id,
    userId: row.user_id,
    userDatabaseId: row.user_id,
    eventType: row.event_type,
    channel: row.channel,
    environment: row.environment,
    message: row.message,
    name: row.name,
    date: row.date,
    endDate: row.end_date,
    period: row.period,
    selector: row.selector,
    tagQuery: row.tag_query,
    universal: row.universal,
    occurredCount: row.occured_count,
    active: row.active,
    kind: row.kind,
    deliveryCount: row.delivery_count,
    acceptedCount: row.accepted_count,
    unregisteredCount: row.gone_count,
    failedCount: row.refused_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
