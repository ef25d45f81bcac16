import { Field, ID, Int, InterfaceType, ObjectType } from "type-graphql";
import type { PeerStatistics } from "../engine/engine";
import type { ConferenceState, EndReason, LeaveReason } from "../model/conference-event";
import type { DeliveredEvent } from "../model/conference-service";
import {
  ConferenceAccessName,
  ConferenceParticipantType,
  toGraphqlParticipant,
} from "../rooms/conference.type";
import { LeaveReasonName } from "../rooms/participation.type";
import { encodeEventCursor } from "./event-cursor";
import {
  ConferencePeerStatistics,
  ConferenceStream,
  StreamKindName,
  toGraphqlStream,
} from "./media.type";

@ObjectType({ description: "The settings of a conference in an event.", simpleResolvers: true })
export class ConferenceSettings {
  @Field(() => ID, { description: "The conference." })
  id!: number;

  @Field({ description: "Name of the conference." })
  name!: string;

  @Field(() => Int, { description: "Maximum number of participants." })
  seats!: number;

  @Field({ description: "Whether participants may send video." })
  video!: boolean;

  @Field(() => ConferenceAccessName as object, { description: "Who may join." })
  access!: ConferenceState["access"];

  @Field({ description: "Whether it is locked." })
  locked!: boolean;

  @Field(() => Int, {
    description: "Maximum bitrate of each participant's video, in bits per second.",
  })
  bitrate!: number;

  @Field(() => Int, {
    description:
      "After how many seconds without participants the conference closes; 0 if it stays open until it is closed.",
  })
  emptyAfterSeconds!: number;
}

@InterfaceType("ConferenceEvent", {
  description: "An event of a conference, for all participants or only for the caller.",
  resolveType: (event: ConferenceEventType) => event.constructor.name,
})
export abstract class ConferenceEventType {
  @Field({
    description:
      "Position after the event, usable for a minute to resume with conferenceEvents(after:). Opaque.",
  })
  cursor!: string;
}

const event = { implements: ConferenceEventType, simpleResolvers: true };

@ObjectType({
  ...event,
  description:
    "The whole state: the first event, and again when events may have been missed. It replaces what the client knows.",
})
export class ConferenceSnapshotEvent extends ConferenceEventType {
  @Field(() => ConferenceSettings, { description: "The settings." })
  conference!: ConferenceSettings;

  @Field(() => [ConferenceParticipantType], {
    description: "The participants, by the time they joined.",
  })
  participants!: ConferenceParticipantType[];
}

@ObjectType({ ...event, description: "Somebody has joined." })
export class ConferenceParticipantJoinedEvent extends ConferenceEventType {
  @Field(() => ConferenceParticipantType, { description: "The new participant." })
  participant!: ConferenceParticipantType;
}

@ObjectType({
  ...event,
  description: "A participant has changed, or has come back from another device.",
})
export class ConferenceParticipantUpdatedEvent extends ConferenceEventType {
  @Field(() => ConferenceParticipantType, { description: "The participant." })
  participant!: ConferenceParticipantType;

  @Field({
    description: "True if the participant took its seat again, from the same device or another.",
  })
  rejoined!: boolean;
}

@ObjectType({
  ...event,
  description:
    "A participant is no longer in the conference. After the caller's own, the subscription ends.",
})
export class ConferenceParticipantLeftEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The participant." })
  participantId!: number;

  @Field(() => LeaveReasonName as object, { description: "Why." })
  reason!: LeaveReason;
}

@ObjectType({ ...event, description: "The settings have changed." })
export class ConferenceUpdatedEvent extends ConferenceEventType {
  @Field(() => ConferenceSettings, { description: "The settings." })
  conference!: ConferenceSettings;
}

@ObjectType({ ...event, description: "The conference was closed; the subscription ends." })
export class ConferenceEndedEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: number;

  @Field(() => LeaveReasonName as object, {
    description: "Why: CONFERENCE_CLOSED or MEDIA_FAILURE.",
  })
  reason!: EndReason;
}

@ObjectType({
  ...event,
  description:
    "The media server has restarted: all peer connections are lost. Publish and watch again.",
})
export class ConferenceReconnectEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: number;
}

@ObjectType({
  ...event,
  description:
    "The caller's watching peer connection carries other streams. With an offer, answer it by answerConferencePeer.",
})
export class ConferenceStreamsEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field(() => String, {
    nullable: true,
    description: "SDP of the offer to answer; null without one.",
  })
  offer!: string | null;

  @Field(() => [ConferenceStream], { description: "What all its media sections carry now." })
  streams!: ConferenceStream[];
}

@ObjectType({
  ...event,
  description:
    "Another device of the caller has joined; the subscription ends. Do not join again by yourself.",
})
export class ConferenceReplacedEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The conference." })
  conferenceId!: number;
}

@ObjectType({
  ...event,
  description: "A peer connection of the caller has ended by itself; open a new one.",
})
export class ConferencePeerClosedEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field({ description: "Why, for the log." })
  detail!: string;
}

@ObjectType({
  ...event,
  description:
    "What the caller publishes is dropped because it is beyond its bitrate for three seconds, or is forwarded again. Beyond three times its bitrate for 30 seconds the peer connection is closed.",
})
export class ConferencePeerLimitedEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field(() => StreamKindName as object, { description: "Audio or video." })
  kind!: "audio" | "video";

  @Field({ description: "Whether it is dropped." })
  dropped!: boolean;

  @Field(() => Int, { description: "The bitrate that it must keep, in bits per second." })
  bitrate!: number;
}

@ObjectType({
  ...event,
  description:
    "Statistics of a peer connection of the caller, every few seconds. A deployment on Janus may have none.",
})
export class ConferenceStatisticsEvent extends ConferenceEventType {
  @Field(() => ID, { description: "The peer connection." })
  peerId!: string;

  @Field(() => ConferencePeerStatistics, { description: "The statistics." })
  statistics!: PeerStatistics;
}

/** The classes of events; the schema reaches them only through the interface. */
export const CONFERENCE_EVENT_CLASSES = [
  ConferenceSnapshotEvent,
  ConferenceParticipantJoinedEvent,
  ConferenceParticipantUpdatedEvent,
  ConferenceParticipantLeftEvent,
  ConferenceUpdatedEvent,
  ConferenceEndedEvent,
  ConferenceReconnectEvent,
  ConferenceStreamsEvent,
  ConferenceReplacedEvent,
  ConferencePeerClosedEvent,
  ConferencePeerLimitedEvent,
  ConferenceStatisticsEvent,
];

/** Converts a delivered event. */
export function eventToGraphql(
  conferenceId: number,
  { cursor: position, event: source }: DeliveredEvent,
): ConferenceEventType {
  const cursor = encodeEventCursor(conferenceId, position);
  switch (source.type) {
    case "snapshot": {
      const { conference, participants } = source;
      return make(ConferenceSnapshotEvent, {
        cursor,
        conference: settingsOf(conference),
        participants: participants.map(toGraphqlParticipant),
      });
    }
    case "participant-joined":
      return make(ConferenceParticipantJoinedEvent, {
        cursor,
        participant: toGraphqlParticipant(source.participant),
      });
    case "participant-updated": {
      const { participant, rejoined } = source;
      return make(ConferenceParticipantUpdatedEvent, {
        cursor,
        participant: toGraphqlParticipant(participant),
        rejoined,
      });
    }
    case "participant-left": {
      const { number: participantId, reason } = source;
      return make(ConferenceParticipantLeftEvent, { cursor, participantId, reason });
    }
    case "conference-updated":
      return make(ConferenceUpdatedEvent, { cursor, conference: settingsOf(source.conference) });
    case "ended":
      // Nodes of earlier versions write events without a reason.
      return make(ConferenceEndedEvent, {
        cursor,
        conferenceId,
        reason: source.reason ?? "conference-closed",
      });
    case "reconnect":
      return make(ConferenceReconnectEvent, { cursor, conferenceId });
    case "streams": {
      const { peer: peerId, streams, offer = null } = source;
      return make(ConferenceStreamsEvent, {
        cursor,
        peerId,
        offer,
        streams: streams.map(toGraphqlStream),
      });
    }
    case "replaced":
      return make(ConferenceReplacedEvent, { cursor, conferenceId });
    case "peer-closed": {
      const { peer: peerId, reason: detail } = source;
      return make(ConferencePeerClosedEvent, { cursor, peerId, detail });
    }
    case "peer-limited": {
      const { peer: peerId, kind, dropped, bitrate } = source;
      return make(ConferencePeerLimitedEvent, { cursor, peerId, kind, dropped, bitrate });
    }
    case "statistics": {
      const { peer: peerId, statistics } = source;
      return make(ConferenceStatisticsEvent, { cursor, peerId, statistics });
    }
  }
}

/** Nodes of earlier versions write events without `emptyAfterSeconds`, of conferences that stay open. */
function settingsOf(conference: ConferenceState): ConferenceSettings {
  return { ...conference, emptyAfterSeconds: conference.emptyAfterSeconds ?? 0 };
}

function make<T extends ConferenceEventType>(type: new () => T, fields: T): T {
  return Object.assign(new type(), fields);
}
