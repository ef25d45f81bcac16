import { ArgsType, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import { PageArgs, PageInfo } from "../../paging/page.type";
import { UserType } from "../../users/user.type";
import { CallType } from "../signals/call-type.type";
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
  description: "The state of a call or of one of its participants.",
  valuesConfig: {
    RINGING: { description: "Ringing; nobody has answered." },
    ACCEPTED: { description: "Accepted and in progress." },
    REJECTED: { description: "Declined by a person, or because the user was in another call." },
    HUNG_UP: { description: "Ended by a hang-up, before or after an answer." },
    MISSED: { description: "Nobody accepted within 60 seconds." },
    FAILED: { description: "The called devices do not support the call." },
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
  description: "Why a user's participation in a call ended before the call was accepted.",
  valuesConfig: {
    DECLINED: { description: "The user declined." },
    BUSY: { description: "The user's device was in another call." },
    NOT_SUPPORTED: { description: "The user's device does not support the call." },
    CANCELLED: { description: "The caller hung up before an answer." },
  },
});

@ObjectType("CallParticipant", { description: "A participant of a call.", simpleResolvers: true })
export class CallParticipantType {
  @Field(() => ID, { description: "The user's id." })
  userId!: number;

  @Field(() => UserType, { description: "The user." })
  user!: UserType;

  @Field({ description: "Whether this user started the call." })
  caller!: boolean;

  @Field(() => CallStateName as object, { description: "State of this participant." })
  state!: CallState;

  @Field(() => CallReasonName as object, {
    nullable: true,
    description: "Why it ended before the call was accepted; null if the state is unambiguous.",
  })
  reason!: CallReason | null;

  @Field(() => Date, {
    nullable: true,
    description: "When the user accepted or declined; null for the caller.",
  })
  answeredAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "The device that answered, as in `from` of its signals.",
  })
  device!: string | null;

  @Field(() => Date, {
    nullable: true,
    description: "When an incoming-call push to the user's devices was created; null without one.",
  })
  pushedAt!: Date | null;
}

@ObjectType("Call", { description: "The record of a call.", simpleResolvers: true })
export class CallObject {
  @Field(() => ID, { description: "Identifier of the record; callId identifies the call." })
  id!: number;

  @Field(() => ID, { description: "Id of the call: the sessionID of all its signals." })
  callId!: string;

  @Field(() => ID, {
    nullable: true,
    description: "The user who started it; null if that user was deleted.",
  })
  callerId!: number | null;

  @Field(() => CallType, { nullable: true, description: "Video or audio." })
  callType!: string | null;

  @Field(() => CallStateName as object, { description: "State of the call." })
  state!: CallState;

  @Field(() => Date, { description: "When the first `call` was sent." })
  startedAt!: Date;

  @Field(() => Date, { nullable: true, description: "When the first user accepted." })
  acceptedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: "When it ended; null while it is active." })
  endedAt!: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: "The user who ended it by hanging up; null if nobody did.",
  })
  hungUpById!: number | null;

  @Field(() => [CallParticipantType], {
    description: "The participants, the caller first, without deleted users.",
  })
  participants!: CallParticipant[];
}

@ObjectType({ description: "A call and its cursor in a list.", simpleResolvers: true })
export class CallEdge {
  @Field({ description: "Position in the list." })
  cursor!: string;

  @Field(() => CallObject, { description: "The call." })
  node!: Call;
}

@ObjectType({ description: "Calls, newest first.", simpleResolvers: true })
export class CallConnection {
  @Field(() => [CallEdge], { description: "The calls with their cursors." })
  edges!: CallEdge[];

  @Field(() => [CallObject], { description: "The calls." })
  nodes!: Call[];

  @Field(() => PageInfo, { description: "Position of the page in the list." })
  pageInfo!: PageInfo;
}

@ArgsType()
export class CallPageArgs extends PageArgs {
  @Field(() => [CallStateName as object], {
    nullable: true,
    description: "Only calls in one of these states; all when omitted.",
  })
  states?: CallState[] | null;
}
