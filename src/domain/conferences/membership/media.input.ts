import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { IceServerType } from "../../calls/ice/ice-server.type";
import type { MediaSource } from "../engine/engine";
import { ConferenceParticipantType, ConferenceType } from "../rooms/conference.type";
import { ConferenceStream, MediaSourceName } from "./media.type";

@ObjectType({ description: "Result of joinConference.", simpleResolvers: true })
export class JoinConferencePayload {
  @Field(() => ID, {
    description:
      "The membership, which the caller's other operations name. It ends when another device of the same participant joins.",
  })
  membershipId!: string;

  @Field(() => ConferenceParticipantType, {
    description: "The participant that the caller now is.",
  })
  participant!: ConferenceParticipantType;

  @Field(() => ConferenceType, { description: "The conference with its participants." })
  conference!: ConferenceType;

  @Field(() => [IceServerType], {
    description: "STUN and TURN servers for the peer connections; empty if there are none.",
  })
  iceServers!: IceServerType[];
}

@InputType({ description: "A membership, from joinConference." })
export class MembershipInput {
  @Field(() => ID, { description: "The membership." })
  membershipId!: string;
}

@InputType({ description: "Media to publish." })
export class PublishConferenceMediaInput extends MembershipInput {
  @Field(() => MediaSourceName as object, {
    nullable: true,
    description:
      "What is published; MAIN by default. Each has a peer connection of its own. A third screen of a conference is FULL; a screen in a conference for audio only is FORBIDDEN.",
  })
  source?: MediaSource | null;

  @Field({
    description:
      "SDP of the client's offer; up to 64 KB. INVALID on offer when it offers simulcast to the embedded media server.",
  })
  offer!: string;
}

@ObjectType({ description: "Result of publishConferenceMedia.", simpleResolvers: true })
export class PublishConferenceMediaPayload {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field({ description: "SDP of the answer, with all candidates." })
  answer!: string;
}

@ObjectType({ description: "Result of watchConference.", simpleResolvers: true })
export class WatchConferencePayload {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "SDP of the offer to answer; null if there is nothing to receive yet: then it comes in an event.",
  })
  offer!: string | null;

  @Field(() => [ConferenceStream], { description: "What its media sections carry." })
  streams!: ConferenceStream[];
}

@InputType({ description: "A peer connection of the caller." })
export class ConferencePeerInput extends MembershipInput {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;
}

@InputType({ description: "The answer to the last offer of a watching peer connection." })
export class AnswerConferencePeerInput extends ConferencePeerInput {
  @Field({ description: "SDP of the answer; up to 64 KB." })
  answer!: string;
}

@InputType({ description: "An ICE candidate of the client, as RTCIceCandidate.toJSON returns it." })
export class AddConferenceCandidateInput extends ConferencePeerInput {
  @Field({ description: "The candidate; empty after the last one." })
  candidate!: string;

  @Field(() => String, { nullable: true, description: "Its media section." })
  sdpMid?: string | null;

  @Field(() => Int, { nullable: true, description: "Index of its media section." })
  sdpMLineIndex?: number | null;
}

@InputType({ description: "An ICE restart." })
export class RestartConferencePeerInput extends ConferencePeerInput {
  @Field(() => String, {
    nullable: true,
    description:
      "SDP of the client's new offer, to publish. Omit it to watch: then the result has an offer.",
  })
  offer?: string | null;
}

@ObjectType({ description: "Result of restartConferencePeer.", simpleResolvers: true })
export class RestartConferencePeerPayload {
  @Field({
    description: "SDP: the answer of a publishing peer connection, or the offer of a watching one.",
  })
  sdp!: string;

  @Field({
    description:
      "Whether the media server opened a new connection: then the client must use a new RTCPeerConnection for it.",
  })
  replaced!: boolean;
}

@InputType({
  description: "What a peer connection sends or receives. Omitted fields stay unchanged.",
})
export class ConfigureConferencePeerInput extends ConferencePeerInput {
  @Field(() => Int, {
    nullable: true,
    description: "Of a publishing one: maximum bitrate of its video, in bits per second.",
  })
  bitrate?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Of a watching one: the mid of the stream to change.",
  })
  mid?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the stream is sent." })
  send?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Simulcast layer of the stream: 0 is the smallest. The embedded media server has one layer and ignores it.",
  })
  layer?: number | null;
}

@InputType({ description: "What the caller has muted. Omitted kinds stay unchanged." })
export class SetConferenceMuteInput extends MembershipInput {
  @Field(() => Boolean, { nullable: true, description: "Whether the microphone is muted." })
  audio?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the camera is off." })
  video?: boolean | null;
}

@InputType({
  description: "A participant that a moderator mutes or unmutes. Omitted kinds stay unchanged.",
})
export class MuteConferenceParticipantInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;

  @Field(() => ID, { description: "The participant." })
  participantId!: string;

  @Field(() => Boolean, { nullable: true, description: "Whether its audio is muted." })
  audio?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether its video is muted." })
  video?: boolean | null;
}

@InputType({ description: "A participant that a moderator removes." })
export class RemoveConferenceParticipantInput {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: string;

  @Field(() => ID, { description: "The participant." })
  participantId!: string;
}

@ObjectType({ description: "Result of an operation on a participant.", simpleResolvers: true })
export class ConferenceParticipantPayload {
  @Field(() => ConferenceParticipantType, { description: "The participant." })
  participant!: ConferenceParticipantType;
}

@ObjectType({ description: "Result of an operation without data.", simpleResolvers: true })
export class ConferenceDonePayload {
  @Field({ description: "True: it has taken effect." })
  done!: boolean;
}
