import { GraphQLSafeInt } from "graphql-scalars";
import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { UserType } from "../../identity/user/user.type";
import { PageInfo } from "../../identity/user/user-list.type";
import { CallType } from "../signal.type";
import type { Call, CallParticipant, CallReason } from "./call-list";
import type { CallState } from "./call-states";

const CallStateName: Record<string, CallState> = {
  RINGING: "ringing",
  ACCEPTED: "accepted",
  REJECTED: "rejected",
  HUNG_UP: "hung_up",
  MISSED: "missed",
  FAILED: "failed",
};
registerEnumType(CallStateName, {
  name: "CallState",
  description: "How far a call, or a user's part in it, has come.",
  valuesConfig: {
    RINGING: { description: "Called, and nobody has answered." },
    ACCEPTED: { description: "Accepted, and nobody has hung up who was needed." },
    REJECTED: { description: "Declined, by a person or because the user was in another call." },
    HUNG_UP: { description: "Ended by somebody who hung up, after talking or before an answer." },
    MISSED: { description: "Nobody accepted within 60 seconds." },
    FAILED: { description: "The devices that were called cannot take part." },
  },
});

const CallReasonName: Record<string, CallReason> = {
  DECLINED: "declined",
  BUSY: "busy",
  NOT_SUPPORTED: "not_supported",
  CANCELLED: "cancelled",
};
registerEnumType(CallReasonName, {
  name: "CallReason",
  description: "Why a user's part in a call ended before anybody talked.",
  valuesConfig: {
    DECLINED: { description: "The user declined." },
    BUSY: { description: "The user's device was in another call." },
    NOT_SUPPORTED: { description: "The user's device cannot take part." },
    CANCELLED: { description: "The caller gave up." },
  },
});

@ObjectType("CallParticipant", { description: "A user's part in a call.", simpleResolvers: true })
export class CallParticipantType {
  @Field(() => GraphQLSafeInt, { description: "The user's id." })
  userId!: number;

  @Field(() => UserType, { description: "The user." })
  user!: UserType;

  @Field({ description: "Whether this user began the call." })
  caller!: boolean;

  @Field(() => CallStateName as object, { description: "How far this user's part has come." })
  state!: CallState;

  @Field(() => CallReasonName as object, {
    nullable: true,
    description: "Why it ended before anybody talked; null where the state says it all.",
  })
  reason!: CallReason | null;

  @Field(() => Date, {
    nullable: true,
    description: "When the user accepted or declined; null of the caller.",
  })
  answeredAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "The device that answered, as in the `from` of its signals.",
  })
  device!: string | null;

  @Field(() => Date, {
    nullable: true,
    description: "When a push was written to wake the user's devices; null without one.",
  })
  wokenAt!: Date | null;
}

@ObjectType("Call", { description: "The record of a call.", simpleResolvers: true })
export class CallObject {
  @Field(() => ID, { description: "Identifier of the record." })
  id!: number;

  @Field({ description: "The sessionID that all signals of the call carry." })
  sessionId!: string;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "The user who began it; null once that user was deleted.",
  })
  callerId!: number | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType!: string | null;

  @Field(() => CallStateName as object, { description: "How far the call has come." })
  state!: CallState;

  @Field(() => Date, { description: "When the first `call` was sent." })
  startedAt!: Date;

  @Field(() => Date, { nullable: true, description: "When the first user accepted." })
  acceptedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: "When it ended; null while it goes on." })
  endedAt!: Date | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Who ended it by hanging up; null where nobody did.",
  })
  hungUpById!: number | null;

  @Field(() => [CallParticipantType], {
    description: "Everybody who takes part, the caller first; without users who were deleted.",
  })
  participants!: CallParticipant[];
}

@ObjectType({ description: "A call at its place in a list.", simpleResolvers: true })
export class CallEdge {
  @Field({ description: "The place." })
  cursor!: string;

  @Field(() => CallObject, { description: "The call." })
  node!: Call;
}

@ObjectType({ description: "Calls, newest first.", simpleResolvers: true })
export class CallConnection {
  @Field(() => [CallEdge], { description: "The calls with their places." })
  edges!: CallEdge[];

  @Field(() => [CallObject], { description: "The calls." })
  nodes!: Call[];

  @Field(() => PageInfo, { description: "Where the page stands." })
  pageInfo!: PageInfo;
}

@ArgsType()
export class CallPageArgs {
  @Field(() => Int, { nullable: true, description: "How many at most: 100, and by default." })
  first?: number | null;

  @Field(() => String, { nullable: true, description: "Cursor of the last call known." })
  after?: string | null;

  @Field(() => [CallStateName as object], {
    nullable: true,
    description: "Calls in one of these states; in any when left out.",
  })
  states?: CallState[] | null;
}
