import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from "type-graphql";
import { VisibleTo } from "../../access/visible-to";
import { connectionOf, edgeOf, PageArgs } from "../../paging/page.type";
import { UserType } from "../../users/user.type";
import { CallType } from "../signals/call-type.type";
import type { Call, CallParticipant, CallReason } from "./call-list";
import type { CallState } from "./call-states";
import type { CallEndReason } from "./end-reason";

const CallStateName: Record<string, CallState> = {
  RINGING: "ringing",
  ACCEPTED: "accepted",
  REJECTED: "rejected",
  HUNG_UP: "hung_up",
  MISSED: "missed",
  FAILED: "failed",
  LOST: "lost",
};
registerEnumType(CallStateName, {
  name: "CallState",
  description: "The state of a call or of one of its participants.",
  valuesConfig: {
    RINGING: { description: "Ringing; nobody has answered." },
    ACCEPTED: { description: "Accepted and in progress." },
    REJECTED: { description: "Declined by a person, or because the user was in another call." },
    HUNG_UP: {
      description:
        "Ended by a hang-up, or by a member of the application's account, before or after an answer.",
    },
    MISSED: { description: "Nobody accepted within 60 seconds." },
    FAILED: { description: "The called devices do not support the call." },
    LOST: {
      description:
        "Accepted, and no device in it was connected for two minutes. A later signal of the call corrects it.",
    },
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

const CallEndReasonName: Record<string, CallEndReason> = {
  DECLINED: "declined",
  BUSY: "busy",
  NOT_SUPPORTED: "not_supported",
  MISSED: "missed",
  CANCELLED: "cancelled",
  HUNG_UP_BY_CALLER: "hung_up_by_caller",
  HUNG_UP_BY_CALLEE: "hung_up_by_callee",
  HUNG_UP: "hung_up",
  FAILED: "failed",
  LOST: "lost",
  ENDED_BY_MEMBER: "ended_by_member",
};
registerEnumType(CallEndReasonName, {
  name: "CallEndReason",
  description:
    "Why a call has ended, as far as its signals tell. A connection that fails is no signal: such a call ends with the hang-up of the one who notices it, or as LOST.",
  valuesConfig: {
    DECLINED: { description: "A callee declined." },
    BUSY: { description: "The callee's device was in another call." },
    NOT_SUPPORTED: { description: "The callee's device does not support the call." },
    MISSED: { description: "Nobody answered within 60 seconds, or the caller gave up then." },
    CANCELLED: { description: "The caller hung up before an answer." },
    HUNG_UP_BY_CALLER: { description: "The caller hung up an accepted call." },
    HUNG_UP_BY_CALLEE: {
      description: "A callee hung up, the last one who was in the call if there were several.",
    },
    HUNG_UP: { description: "Ended by a user who has since been deleted." },
    FAILED: { description: "It reached no callee, or all of them have been deleted since." },
    LOST: { description: "No device in the accepted call was connected for two minutes." },
    ENDED_BY_MEMBER: { description: "A member of the application's account ended it." },
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

/** The application of a call, whose members see more than its participants. */
export const applicationOfCall = ({ applicationId }: Call): number => applicationId;

@ObjectType("Call", { description: "The record of a call.", simpleResolvers: true })
export class CallObject {
  @Field(() => ID, { description: "Identifier of the record; callId identifies the call." })
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The application. Null for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfCall)
  applicationId!: number;

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

  @Field(() => CallEndReasonName as object, {
    nullable: true,
    description: "Why it has ended; null while it is active.",
  })
  endReason!: CallEndReason | null;

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

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the call had more signals than its timeline keeps: 200 entries, and 50 more for signals that start, answer or end it. Null for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfCall)
  timelineTruncated!: boolean;
}

const CallEdge = edgeOf<Call>("CallEdge", "call", () => CallObject);

@ObjectType({ description: "Calls, newest first.", simpleResolvers: true })
export class CallConnection extends connectionOf<Call>(CallEdge, "calls", () => CallObject) {}

@InputType({ description: "A call that is in progress." })
export class EndCallInput {
  @Field(() => ID, { description: "The call, by the identifier of its record." })
  id!: string;
}

@ObjectType({ description: "Result of endCall.", simpleResolvers: true })
export class EndCallPayload {
  @Field(() => CallObject, { description: "The call, which has ended." })
  call!: Call;
}

@ObjectType({ description: "Result of markCallsSeen.", simpleResolvers: true })
export class MarkCallsSeenPayload {
  @Field(() => Date, { description: "From when on missed calls are counted." })
  seenAt!: Date;
}

@ArgsType()
export class CallPageArgs extends PageArgs {
  @Field(() => [CallStateName as object], {
    nullable: true,
    description: "Only calls in one of these states; all when omitted.",
  })
  states?: CallState[] | null;
}

@ArgsType()
export class ApplicationCallArgs extends CallPageArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      "Only calls that this user takes part in; NOT_FOUND if the application has no such user.",
  })
  userId?: string | null;

  @Field(() => Date, {
    nullable: true,
    description: "Only calls that started at this time or later.",
  })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: "Only calls that started before this time." })
  until?: Date | null;
}
