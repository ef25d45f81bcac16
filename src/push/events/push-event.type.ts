import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import { PageInfo } from "../../paging/page.type";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";
import type { ChannelDryRun } from "./dry-run";
import type { PushEvent, PushEventType } from "./push-event";

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
    description: "The sender; null for the application's owner and for an incoming-call push.",
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

  @Field(() => Date, { description: "When the event was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the event last changed." })
  updatedAt!: Date;
}

@ObjectType({ description: "An event in a list, with its cursor.", simpleResolvers: true })
export class PushEventEdge {
  @Field({ description: "Cursor of the event." })
  cursor!: string;

  @Field(() => PushEventObject, { description: "The event." })
  node!: PushEvent;
}

@ObjectType({ description: "A page of events, newest first.", simpleResolvers: true })
export class PushEventConnection {
  @Field(() => [PushEventObject], { description: "The events." })
  nodes!: PushEvent[];

  @Field(() => [PushEventEdge], { description: "The events with their cursors." })
  edges!: PushEventEdge[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}

@ObjectType({
  description: "Result of a dry run for one channel. Nothing was sent.",
  simpleResolvers: true,
})
export class PushChannelDryRun {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => Int, { description: "Number of recipient devices, counted up to 10,000." })
  deviceCount!: number;

  @Field(() => Int, { description: "Number of users that own these devices." })
  userCount!: number;

  @Field({ description: "Whether there are more recipients than counted." })
  more!: boolean;

  @Field(() => [ID], { description: "A sample of up to 100 recipients." })
  userIds!: number[];

  @Field(() => GraphQLJSONObject, { description: "Request headers that depend on the message." })
  headers!: Record<string, string>;

  @Field(() => GraphQLJSONObject, { description: "Payload for the push service." })
  payload!: object;

  @Field(() => Int, { description: "Size in bytes, as the platform counts it." })
  bytes!: number;

  @Field(() => Int, { description: "Maximum size in bytes on the platform." })
  maxBytes!: number;

  @Field(() => [String], {
    description: "Reasons why the push, or part of it, would not arrive.",
  })
  problems!: string[];
}

@ObjectType({ description: "Result of a dry run. Nothing was sent.", simpleResolvers: true })
export class PushDryRun {
  @Field(() => [String], {
    description:
      "Reasons why the push would be refused, as `field: reason`; empty if it would be accepted.",
  })
  problems!: string[];

  @Field(() => [PushChannelDryRun], { description: "Result for each channel of the push." })
  channels!: ChannelDryRun[];
}

@ObjectType({ description: "Result of createPushEvent.", simpleResolvers: true })
export class CreatePushEventPayload {
  @Field(() => [PushEventObject], {
    description: "One event per channel of the push; empty for a dry run.",
  })
  events!: PushEvent[];

  @Field(() => [PushEventEdge], {
    description: "The same events with their cursors.",
    deprecationReason: "Kept for REST-compatible clients, which expect a list of this form.",
  })
  edges!: PushEventEdge[];

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
export function toEdge(event: PushEvent): PushEventEdge {
  return { cursor: String(event.id), node: event };
}
