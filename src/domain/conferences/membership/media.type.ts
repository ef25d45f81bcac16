import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { MediaSource, PeerStream } from "../engine/engine";

/** GraphQL names of what is published. */
export const MediaSourceName: Record<string, MediaSource> = { MAIN: "main", SCREEN: "screen" };
registerEnumType(MediaSourceName, {
  name: "ConferenceMediaSource",
  description: "What a peer connection publishes.",
  valuesConfig: {
    MAIN: { description: "Microphone and camera." },
    SCREEN: { description: "A shared screen, with its sound if there is any." },
  },
});

/** The values of StreamKind in GraphQL. */
export const StreamKindName: Record<string, PeerStream["kind"]> = {
  AUDIO: "audio",
  VIDEO: "video",
};
registerEnumType(StreamKindName, {
  name: "ConferenceStreamKind",
  description: "The kind of a stream.",
  valuesConfig: { AUDIO: { description: "Audio." }, VIDEO: { description: "Video." } },
});

@ObjectType({
  description: "A media section of a watching peer connection, and whose media it carries.",
  simpleResolvers: true,
})
export class ConferenceStream {
  @Field({ description: "The `mid` of the RTCRtpTransceiver." })
  mid!: string;

  @Field(() => StreamKindName as object, { description: "Audio or video." })
  kind!: PeerStream["kind"];

  @Field(() => ID, {
    nullable: true,
    description: "The participant whose media it carries; null while it is free.",
  })
  participantId!: number | null;

  @Field(() => MediaSourceName as object, {
    nullable: true,
    description: "What of the participant it carries; null while it is free.",
  })
  source!: MediaSource | null;
}

@ObjectType({
  description: "Statistics of a peer connection at the media server.",
  simpleResolvers: true,
})
export class ConferencePeerStatistics {
  @Field(() => Int, { description: "Bits of audio per second." })
  audioBitrate!: number;

  @Field(() => Int, { description: "Bits of video per second." })
  videoBitrate!: number;

  @Field({ description: "Share of lost packets, 0 to 1." })
  packetLoss!: number;

  @Field(() => Int, { nullable: true, description: "Round trip in milliseconds; null if unknown." })
  roundTripMs!: number | null;
}

@ObjectType({
  description:
    "Statistics of a peer connection of a participant of a conference at the media server.",
  simpleResolvers: true,
})
export class ConferenceParticipantStatistics extends ConferencePeerStatistics {
  @Field(() => ID, { description: "The participant." })
  participantId!: number;

  @Field(() => MediaSourceName as object, {
    nullable: true,
    description: "What the peer connection publishes; null for one that receives.",
  })
  source!: MediaSource | null;
}

/** Converts a stream; a feed's participant is named by its number. */
export function toGraphqlStream({ mid, kind, feed }: PeerStream): ConferenceStream {
  return { mid, kind, participantId: feed?.participant ?? null, source: feed?.source ?? null };
}
