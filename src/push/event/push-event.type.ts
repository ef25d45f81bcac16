import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import { PageInfo } from "../../identity/user/user-list.type";
import type { PushChannel, PushEnvironment } from "../channel";
import { PushChannelName } from "../channel.type";
import type { ChannelTrial } from "./dry-run";
import type { PushEvent, PushEventType } from "./push-event";

/** GraphQL names of the ways to dispatch. */
export const PushEventTypeName: Record<string, PushEventType> = {
  ONE_SHOT: "one_shot",
  FIXED_DATE: "fixed_date",
  PERIOD_DATE: "period_date",
};
registerEnumType(PushEventTypeName, {
  name: "PushEventType",
  description: "When a push is dispatched.",
  valuesConfig: {
    ONE_SHOT: { description: "Once, at once." },
    FIXED_DATE: { description: "Once, at a date." },
    PERIOD_DATE: { description: "From a date on, again and again, until an end if there is one." },
  },
});

@ObjectType("PushEvent", {
  description: "A push that was asked for; of a universal one, what goes to one channel.",
})
export class PushEventObject {
  @Field(() => ID, { description: "Identifier, unique among events." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field(() => GraphQLSafeInt, { description: "The application." })
  applicationId!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      "Who asked for it; null for the owner of the application's account, and for a push that wakes phones.",
  })
  userId!: number | null;

  @Field(() => PushEventTypeName as object, { description: "When it is dispatched." })
  eventType!: PushEventType;

  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => PushEnvironmentName as object, { description: "Of developers, or of users." })
  environment!: PushEnvironment;

  @Field({ description: "The payload as it was sent." })
  message!: string;

  @Field(() => String, { nullable: true, description: "What its sender calls it." })
  name!: string | null;

  @Field(() => Date, { nullable: true, description: "When a schedule begins." })
  date!: Date | null;

  @Field(() => Date, { nullable: true, description: "When a schedule ends, if it does." })
  endDate!: Date | null;

  @Field(() => Int, { nullable: true, description: "Seconds between two dispatches." })
  period!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The tags that select the recipients, as `any: a,b`; null when others do.",
  })
  tagQuery!: string | null;

  @Field(() => Int, { description: "How often it was dispatched." })
  occurredCount!: number;

  @Field({ description: "Whether something of it is still to be dispatched." })
  active!: boolean;

  @Field({ description: "API, or CALL for a push that wakes phones for a call." })
  kind!: string;

  @Field(() => Int, { description: "Deliveries that were written, of every dispatch." })
  deliveryCount!: number;

  @Field(() => Int, { description: "Deliveries that the push service took." })
  acceptedCount!: number;

  @Field(() => Int, { description: "Deliveries to devices that were no longer registered." })
  goneCount!: number;

  @Field(() => Int, { description: "Deliveries that were refused, or tried in vain." })
  refusedCount!: number;

  @Field(() => Date, { description: "When it was asked for." })
  createdAt!: Date;

  @Field(() => Date, { description: "When it last changed." })
  updatedAt!: Date;
}

@ObjectType({ description: "An event at its place in a list.", simpleResolvers: true })
export class PushEventEdge {
  @Field({ description: "The place." })
  cursor!: string;

  @Field(() => PushEventObject, { description: "The event." })
  node!: PushEvent;
}

@ObjectType({ description: "Events, newest first.", simpleResolvers: true })
export class PushEventConnection {
  @Field(() => [PushEventObject], { description: "The events." })
  nodes!: PushEvent[];

  @Field(() => [PushEventEdge], { description: "The events with their places." })
  edges!: PushEventEdge[];

  @Field(() => PageInfo, { description: "Where the page stands." })
  pageInfo!: PageInfo;
}

@ObjectType({
  description: "What a push would be on one channel. Nothing was sent.",
  simpleResolvers: true,
})
export class PushChannelTrial {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => Int, { description: "Devices that it would go to; 10,000 are counted at most." })
  deviceCount!: number;

  @Field(() => Int, { description: "Users whose devices those are." })
  userCount!: number;

  @Field({ description: "Whether there are more than were counted." })
  more!: boolean;

  @Field(() => [ID], { description: "Some of the users, 100 at most." })
  userIds!: number[];

  @Field(() => GraphQLJSONObject, { description: "Headers that the message decides." })
  headers!: Record<string, string>;

  @Field(() => GraphQLJSONObject, { description: "What the push service would get." })
  payload!: object;

  @Field(() => Int, { description: "Size in bytes, as the platform counts." })
  bytes!: number;

  @Field(() => Int, { description: "The most that the platform takes." })
  maxBytes!: number;

  @Field(() => [String], { description: "Why nothing, or less, would arrive." })
  problems!: string[];
}

@ObjectType({ description: "What a push would be. Nothing was sent.", simpleResolvers: true })
export class PushTrial {
  @Field(() => [String], {
    description: "Why it would be refused, as `field: reason`; none when it would be taken.",
  })
  problems!: string[];

  @Field(() => [PushChannelTrial], { description: "Each channel that it would go over." })
  channels!: ChannelTrial[];
}

@ObjectType({ description: "What createPushEvent answers.", simpleResolvers: true })
export class CreatePushEventPayload {
  @Field(() => [PushEventObject], {
    description: "An event for each channel that it goes over; none of a dry run.",
  })
  events!: PushEvent[];

  @Field(() => [PushEventEdge], {
    description: "The same, with their places.",
    deprecationReason: "Kept for REST-compatible clients, which expect a list of this form.",
  })
  edges!: PushEventEdge[];

  @Field(() => PushTrial, { nullable: true, description: "What it would be, of a dry run." })
  trial!: PushTrial | null;
}

@ObjectType({ description: "What stopPushEvent answers.", simpleResolvers: true })
export class StopPushEventPayload {
  @Field(() => PushEventObject, { description: "The event as it is now." })
  event!: PushEvent;
}

@ObjectType({ description: "What deletePushEvent answers.", simpleResolvers: true })
export class DeletePushEventPayload {
  @Field(() => ID, { description: "Id of the event that is no more." })
  deletedPushEventId!: number;
}

/** An event at its place. */
export function toEdge(event: PushEvent): PushEventEdge {
  return { cursor: String(event.id), node: event };
}

/** A page of events. */
export function toConnection(
  { nodes, hasNextPage }: { nodes: PushEvent[]; hasNextPage: boolean },
  { after }: { after?: string | null },
): PushEventConnection {
  const edges = nodes.map(toEdge);
  return {
    nodes,
    edges,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: Boolean(after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
