import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { CallSignalKind } from "./timeline";
import type { TimelineRow } from "./timeline-queries";

const CallTimelineKindName: Record<string, CallSignalKind> = {
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
registerEnumType(CallTimelineKindName, {
  name: "CallTimelineKind",
  description: "The type of a signal in the timeline of a call.",
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
    "Signals of a call in its timeline: who sent what kind to whom and when, nothing of their contents. A signal that starts, answers or ends the call is listed once, however often it is repeated. Candidates from one device to another are one entry for each ten seconds.",
  simpleResolvers: true,
})
export class CallTimelineEntry {
  @Field(() => CallTimelineKindName as object, { description: "The type of the signals." })
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

/** Converts an entry of a timeline. */
export function toGraphqlEntry(row: TimelineRow): CallTimelineEntry {
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
