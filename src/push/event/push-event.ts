import type { PushEventType } from "../../store/generated/enums";
import type { PushChannel, PushEnvironment } from "../channel";
import type { Selector } from "./selector";

export type { PushEventType } from "../../store/generated/enums";

/** A push that was asked for (interface.md "Event"): of a universal one, what goes to one channel. */
export interface PushEvent {
  id: number;
  /** The id once more, by its name in GraphQL. */
  databaseId: number;
  applicationId: number;
  /** Who asked for it; null for the owner of the application's account, and where a phone is woken. */
  userId: number | null;
  eventType: PushEventType;
  channel: PushChannel;
  environment: PushEnvironment;
  /** The payload as it was sent. */
  message: string;
  name: string | null;
  date: Date | null;
  endDate: Date | null;
  /** Seconds between two dispatches. */
  period: number | null;
  selector: Selector;
  tagQuery: string | null;
  universal: boolean;
  /** How often it was dispatched. */
  occurredCount: number;
  /** Whether something of it is still to be dispatched. */
  active: boolean;
  kind: string;
  /** What became of its deliveries, over all dispatches. */
  deliveryCount: number;
  acceptedCount: number;
  goneCount: number;
  refusedCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What {@link toEvent} reads, of a table `push_events` named `e`. */
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

/** The event of a row. */
export function toEvent(row: EventRow): PushEvent {
  return {
    id: row.id,
    databaseId: row.id,
    applicationId: row.application_id,
    userId: row.user_id,
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
    goneCount: row.gone_count,
    refusedCount: row.refused_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
