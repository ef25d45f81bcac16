import type { PushEventType } from "../../store/generated/enums";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";

export type { PushEventType } from "../../store/generated/enums";

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
  /** The sender; null for the application's owner and for an incoming-call push. */
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
  kind: string;
  /** Counts of deliveries by outcome, over all dispatches. */
  deliveryCount: number;
  acceptedCount: number;
  unregisteredCount: number;
  failedCount: number;
  createdAt: Date;
  updatedAt: Date;
}
