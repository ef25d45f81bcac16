import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { Legacy } from "../../access/legacy";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import { connectionOf, type Edge, edgeOf } from "../../paging/page.type";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";
import { PushDryRun } from "./push-dry-run.type";
import type { PushEvent, PushEventKind, PushEventState, PushEventType } from "./push-event";

/** GraphQL names of the event types. */
export const PushEventTypeName: Record<string, PushEventType> = {
  ONE_SHOT: "one_shot",
  FIXED_DATE: "fixed_date",
  PERIOD_DATE: "period_date",
};
registerEnumType(PushEventTypeName, {
  name: "PushEventType",
  description: "When a push is dispatched.",
  valuesConfig: {
    ONE_SHOT: { description: "Once, immediately." },
    FIXED_DATE: { description: "Once, at a given date." },
    PERIOD_DATE: { description: "Periodically from a date on, optionally until an end date." },
  },
});

/** GraphQL names of the kinds of events. */
export const PushEventKindName: Record<PushEventKind, PushEventKind> = {
  API: "API",
  CALL: "CALL",
  CALL_END: "CALL_END",
  MISSED_CALL: "MISSED_CALL",
};
registerEnumType(PushEventKindName, {
  name: "PushEventKind",
  description: "Who requested a push.",
  valuesConfig: {
    API: { description: "A user, or a member of the account." },
    CALL: { description: "The service, for an incoming call." },
    CALL_END: {
      description: "The service, to devices that an incoming call woke, once it no longer rings.",
    },
    MISSED_CALL: { description: "The service, for a missed call." },
  },
});

/** GraphQL names of the states of events. */
export const PushEventStateName: Record<PushEventState, PushEventState> = {
  SCHEDULED: "SCHEDULED",
  SENDING: "SENDING",
  FINISHED: "FINISHED",
};
registerEnumType(PushEventStateName, {
  name: "PushEventState",
  description: "State of an event.",
  valuesConfig: {
    SCHEDULED: {
      description:
        "A dispatch is due at nextRunAt. Deliveries of an earlier one may still be pending.",
    },
    SENDING: { description: "Deliveries of the last dispatch are being written, or are pending." },
    FINISHED: { description: "No dispatch and no delivery is pending." },
  },
});

@ObjectType("PushEvent", {
  description: "A requested push. A universal push has one event per channel.",
})
export class PushEventObject {
  @Field(() => ID, { description: "Identifier, unique among events." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Identifier as a number, as in REST paths.",
  })
  databaseId!: number;

  @Field(() => ID, { description: "The application." })
  applicationId!: number;

  @Field(() => GraphQLSafeInt, { description: "Id of the application, as a number." })
  applicationDatabaseId!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The sender; null for a member of the account and for an incoming-call push.",
  })
  userId!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      "Id of the sender, as a number; null for the application's owner and for an incoming-call push.",
  })
  userDatabaseId!: number | null;

  @Field(() => PushEventTypeName as object, { description: "When the push is dispatched." })
  eventType!: PushEventType;

  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => PushEnvironmentName as object, {
    description: "Builds of the app: for developers or for users.",
  })
  environment!: PushEnvironment;

  @Field(() => String, { nullable: true, description: "Name given by the sender." })
  name!: string | null;

  @Field(() => Date, { nullable: true, description: "First dispatch of a schedule." })
  date!: Date | null;

  @Field(() => Date, { nullable: true, description: "End of a schedule; null without one." })
  endDate!: Date | null;

  @Field(() => Int, { nullable: true, description: "Period of a schedule, in seconds." })
  period!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Tags that select the recipients, for example `any: a,b`; null for other selectors.",
  })
  tagQuery!: string | null;

  @Field(() => Int, { description: "Number of dispatches." })
  occurredCount!: number;

  @Field({ description: "Whether dispatches are pending." })
  active!: boolean;

  @Field({ description: "API, or CALL for an incoming-call push." })
  kind!: string;

  @Field(() => Int, { description: "Number of deliveries created, over all dispatches." })
  deliveryCount!: number;

  @Field(() => Int, { description: "Number of deliveries that the push service accepted." })
  acceptedCount!: number;

  @Field(() => Int, { description: "Number of deliveries to devices no longer registered." })
  unregisteredCount!: number;

  @Field(() => Int, { description: "Number of deliveries that were refused or failed." })
  failedCount!: number;

  @Field(() => Date, {
    nullable: true,
    description: "When the next dispatch is due; null without one.",
  })
  nextRunAt!: Date | null;

  @Field({ description: "Whether deliveries of the current dispatch are still being written." })
  fanningOut!: boolean;

  @Field(() => Date, {
    nullable: true,
    description: "When the event was stopped before its end; null if it was not.",
  })
  stoppedAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description:
      "When the event was withdrawn; deliveries that were not sent by then fail. Null if it was not.",
  })
  withdrawnAt!: Date | null;

  @Field(() => Date, { description: "When the event was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the event last changed." })
  updatedAt!: Date;
}

export const PushEventEdge = edgeOf<PushEvent>("PushEventEdge", "event", () => PushEventObject);

@ObjectType({ description: "A page of events, newest first.", simpleResolvers: true })
export class PushEventConnection extends connectionOf<PushEvent>(
  PushEventEdge,
  "events",
  () => PushEventObject,
) {}

@ObjectType({ description: "Result of createPushEvent.", simpleResolvers: true })
export class CreatePushEventPayload {
  @Field(() => [PushEventObject], {
    description: "One event per channel of the push; empty for a dry run.",
  })
  events!: PushEvent[];

  @Legacy()
  @Field(() => [PushEventEdge], { description: "The same events with their cursors." })
  edges!: Edge<PushEvent>[];

  @Field(() => PushDryRun, {
    nullable: true,
    description: "Result of a dry run; null for a push that is sent.",
  })
  dryRun!: PushDryRun | null;
}

@ObjectType({ description: "Result of stopPushEvent.", simpleResolvers: true })
export class StopPushEventPayload {
  @Field(() => PushEventObject, { description: "The current event." })
  event!: PushEvent;
}

@ObjectType({ description: "Result of deletePushEvent.", simpleResolvers: true })
export class DeletePushEventPayload {
  @Field(() => ID, { description: "Id of the deleted event." })
  deletedPushEventId!: number;
}

/** Converts an event to an edge. */
export function toEdge(event: PushEvent): Edge<PushEvent> {
  return { cursor: String(event.id), node: event };
}
