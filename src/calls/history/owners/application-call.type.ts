import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { PageInfo } from "../../../paging/page.type";
import { CallObject, CallPageArgs } from "../call.type";
import type { CallSignalKind } from "../timeline/time-line";
import type { TimeLineRow } from "../timeline/time-line-queries";
import type { ApplicationCall } from "./application-calls";
import type { CallEndReason } from "./end-reason";

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
};
registerEnumType(CallEndReasonName, {
  name: "CallEndReason",
  description:
    "Why a call has ended, as far as its signals tell. A connection that fails is no signal: such a call ends with the hang-up of the one who notices it.",
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
    HUNG_UP: { description: "Somebody hung up who has been deleted since." },
    FAILED: { description: "It reached no callee, or all of them have been deleted since." },
  },
});

const CallTimeLineKindName: Record<string, CallSignalKind> = {
  CALL: "call",
  ACCEPT: "accept",
  REJECT: "reject",
  HANG_UP: "hangUp",
  ICE_CANDIDATES: "iceCandidates",
  UPDATE: "update",
  ICE_RESTART: "iceRestart",
  ICE_RESTART_ACCEPT: "iceRestartAccept",
  OTHER: "other",
};
registerEnumType(CallTimeLineKindName, {
  name: "CallTimeLineKind",
  description: "The type of a signal in the time line of a call.",
  valuesConfig: {
    CALL: { description: "`call`: starts a call." },
    ACCEPT: { description: "`accept`: accepts a call." },
    REJECT: { description: "`reject`: declines a call." },
    HANG_UP: { description: "`hangUp`: ends a call, or its ringing on some device." },
    ICE_CANDIDATES: { description: "`iceCandidates`: sends ICE candidates." },
    UPDATE: { description: "`update`: changes parameters of a call." },
    ICE_RESTART: { description: "`iceRestart`: offers an ICE restart." },
    ICE_RESTART_ACCEPT: { description: "`iceRestartAccept`: accepts an ICE restart." },
    OTHER: { description: "Any type that the protocol does not have." },
  },
});

@ObjectType({
  description:
    "Signals of a call in its time line: who sent what kind to whom and when, nothing of their contents. A signal that starts, answers or ends the call is listed once, however often it is repeated. Candidates from one device to another are one entry for each ten seconds.",
  simpleResolvers: true,
})
export class CallTimeLineEntry {
  @Field(() => CallTimeLineKindName as object, { description: "The type of the signals." })
  kind!: CallSignalKind;

  @Field(() => Date, { description: "When the service accepted the first of them." })
  firstAt!: Date;

  @Field(() => Date, { description: "When it accepted the last of them." })
  lastAt!: Date;

  @Field(() => Int, { description: "How many signals the entry stands for, without repeats." })
  count!: number;

  @Field(() => ID, { nullable: true, description: "The sender; null if that user was deleted." })
  senderId!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The sender's device, as in `from` of the signals; null if the user was deleted.",
  })
  senderDevice!: string | null;

  @Field(() => ID, { nullable: true, description: "The recipient; null if that user was deleted." })
  recipientId!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The device that they were for; null for all devices of the recipient.",
  })
  recipientDevice!: string | null;
}

@ObjectType("ApplicationCall", {
  description: "The record of a call, as the owners of its application see it.",
  simpleResolvers: true,
})
export class ApplicationCallObject extends CallObject {
  @Field(() => CallEndReasonName as object, {
    nullable: true,
    description: "Why it has ended; null while it is active.",
  })
  endReason!: CallEndReason | null;

  @Field({
    description:
      "Whether the call had more signals than its time line keeps: 200 entries, and 50 more for signals that start, answer or end it.",
  })
  timeLineTruncated!: boolean;
}

@ObjectType({ description: "A call and its cursor in a list.", simpleResolvers: true })
export class ApplicationCallEdge {
  @Field({ description: "Position in the list." })
  cursor!: string;

  @Field(() => ApplicationCallObject, { description: "The call." })
  node!: ApplicationCall;
}

@ObjectType({ description: "Calls of an application, newest first.", simpleResolvers: true })
export class ApplicationCallConnection {
  @Field(() => [ApplicationCallEdge], { description: "The calls with their cursors." })
  edges!: ApplicationCallEdge[];

  @Field(() => [ApplicationCallObject], { description: "The calls." })
  nodes!: ApplicationCall[];

  @Field(() => PageInfo, { description: "Position of the page in the list." })
  pageInfo!: PageInfo;
}

@ArgsType()
export class ApplicationCallArgs extends CallPageArgs {
  @Field(() => ID, {
    nullable: true,
    description: "Only calls that this user takes part in.",
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

/** Converts an entry of a time line. */
export function toGraphqlEntry(row: TimeLineRow): CallTimeLineEntry {
  return {
    kind: row.kind,
    firstAt: row.first_at,
    lastAt: row.last_at,
    count: row.count,
    senderId: row.from_user_id,
    senderDevice: row.from_device,
    recipientId: row.to_user_id,
    recipientDevice: row.to_device,
  };
}
