import { GraphQLSafeInt } from "graphql-scalars";
import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import type { ErrorCode } from "../../core/errors";
import { LIVE_COUNT_MAX } from "./activity";
import { ErrorCodeName } from "./error-code.type";
import type { Period } from "./statistics";

/** GraphQL names of the periods. */
export const StatisticsPeriodName: Record<string, Period> = {
  HOUR: "hour",
  DAY: "day",
  MONTH: "month",
};
registerEnumType(StatisticsPeriodName, {
  name: "StatisticsPeriod",
  description: "The time that statistics cover. It ends now.",
  valuesConfig: {
    HOUR: { description: "The last 60 minutes, in buckets of a minute." },
    DAY: { description: "The last 24 hours, in buckets of an hour." },
    MONTH: { description: "The last 30 days of UTC, in buckets of a day." },
  },
});

@ObjectType({ description: "Attempts to send a push, by outcome.", simpleResolvers: true })
export class PushCounts {
  @Field(() => GraphQLSafeInt, { description: "The push service accepted the push." })
  accepted!: number;

  @Field(() => GraphQLSafeInt, { description: "The device's token is not valid any more." })
  unregistered!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The push was refused, or could not be sent at all.",
  })
  failed!: number;

  @Field(() => GraphQLSafeInt, { description: "The attempt failed, and another one follows." })
  retried!: number;
}

@ObjectType({ description: "Errors of a code.", simpleResolvers: true })
export class ErrorCount {
  @Field(() => ErrorCodeName, { description: "The code." })
  code!: ErrorCode;

  @Field(() => GraphQLSafeInt, { description: "Number of errors with it." })
  count!: number;
}

@ObjectType({
  description: "Sockets by protocol.",
  simpleResolvers: true,
})
export class SocketCountsType {
  @Field(() => Int, {
    description: "GraphQL over WebSocket, with a session or a guest's token.",
  })
  graphql!: number;

  @Field(() => Int, {
    description:
      "Chat streams that have signed in. With CHAT_MODE=component always 0: the chat server has the sockets.",
  })
  xmpp!: number;

  @Field(() => Int, { description: "Sessions of legacy conference clients." })
  janus!: number;
}

@ObjectType({
  description: "What happened in a time.",
  simpleResolvers: true,
})
export class StatisticsCounts {
  @Field(() => GraphQLSafeInt, {
    description:
      "Requests with a session of the application, over GraphQL, REST, WebSocket and the endpoint of legacy conference clients. A subscription counts once.",
  })
  requests!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Call signals that were accepted, over all protocols.",
  })
  signals!: number;

  @Field(() => GraphQLSafeInt, {
    description:
      "Users that were created: by sign-up, by the first sign-in through a provider, as a guest, or by a member of the account.",
  })
  signUps!: number;

  @Field(() => GraphQLSafeInt, {
    description:
      "Sign-ins with credentials, over all protocols. A socket that opens with the token of a session is not counted.",
  })
  signIns!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Sign-ins that were refused because of their credentials.",
  })
  failedSignIns!: number;

  @Field(() => GraphQLSafeInt, { description: "Calls that were started." })
  calls!: number;

  @Field(() => GraphQLSafeInt, { description: "Conferences that were created." })
  conferences!: number;

  @Field(() => PushCounts, { description: "Attempts to send a push." })
  pushes!: PushCounts;

  @Field(() => [ErrorCount], {
    description:
      "Errors that clients of the application got, by code, the most frequent first. Without those of requests that name no application, such as one with an unknown token.",
  })
  errors!: ErrorCount[];
}

@ObjectType({ description: "The statistics of a bucket.", simpleResolvers: true })
export class StatisticsBucket {
  @Field(() => Date, { description: "When the bucket starts. The last one is not over yet." })
  startsAt!: Date;

  @Field(() => StatisticsCounts, { description: "What happened in it." })
  counts!: StatisticsCounts;

  @Field(() => SocketCountsType, {
    description:
      "The most sockets that were open at a sample, of which there is one a minute. For an account the sum over its applications.",
  })
  sockets!: SocketCountsType;

  @Field(() => Int, {
    nullable: true,
    description: `The most live sessions at a sample, of each application counted up to ${LIVE_COUNT_MAX.toLocaleString("en")}. Null without traffic and sockets.`,
  })
  sessions!: number | null;
}

@ObjectType({
  description: "What happened in a period, to the last five seconds.",
  simpleResolvers: true,
})
export class Statistics {
  @Field(() => StatisticsPeriodName, { description: "The period." })
  period!: Period;

  @Field(() => Date, { description: "When the period starts." })
  from!: Date;

  @Field(() => Int, { description: "Length of a bucket in seconds." })
  bucketSeconds!: number;

  @Field(() => StatisticsCounts, { description: "What happened in the whole period." })
  totals!: StatisticsCounts;

  @Field(() => [StatisticsBucket], {
    description: "All buckets of the period, oldest first, also those without traffic.",
  })
  series!: StatisticsBucket[];
}

@ObjectType({ description: "A number that is counted up to 10,000.", simpleResolvers: true })
export class LiveCount {
  @Field(() => Int, { description: "The number, at most 10,000." })
  count!: number;

  @Field(() => Boolean, { description: "Whether the number is exact; false beyond 10,000." })
  isExact!: boolean;
}

@ObjectType({ description: "What is open now." })
export class Activity {
  /** The applications, not in the schema. */
  applicationIds!: readonly number[];
}
