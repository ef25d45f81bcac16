import type { Json, JsonObject } from "../../../core/json";
import type { ConferenceParticipantState } from "../../../domain/conferences/model/conference";
import type { ConferenceEvent } from "../../../domain/conferences/model/conference-event";
import type { RoomName } from "../protocol/room-requests";

/** What a legacy client needs of an event of all participants. */
type SharedEvent = Extract<ConferenceEvent, { sequence: number }>;

/**
 * The conference as one legacy client knows it: who is in it, and which feeds it was notified about. It turns the
 * events of the conference into those of the VideoRoom plugin. A participant is announced (`publishers`) once its media
 * flows, and not again before the client has been told that it is gone: the client library shows a second announcement
 * as a second person. Shared screens are not announced.
 */
export class RoomView {
  private readonly participants = new Map<number, ConferenceParticipantState>();
  /** Numbers of the participants that the client may watch. */
  private readonly announced = new Set<number>();

  /**
   * @param room as the client wrote it
   * @param ownId id of the client's own participant
   */
  constructor(
    private readonly room: RoomName,
    private readonly ownId: number,
  ) {}

  /** Takes the participants at the client's join. @returns what `joined` contains of them */
  join(participants: readonly ConferenceParticipantState[]): {
    publishers: JsonObject[];
    attendees: JsonObject[];
  } {
    for (const participant of participants) this.participants.set(participant.number, participant);
    const others = participants.filter(({ id }) => id !== this.ownId);
    const publishing = others.filter((participant) => participant.publishing);
    for (const { number } of publishing) this.announced.add(number);
    return {
      publishers: publishing.map(shown),
      attendees: others.filter((participant) => !participant.publishing).map(shown),
    };
  }

  /** Whether a number is that of a participant whose media flows. */
  isPublishing(number: number): boolean {
    return this.participants.get(number)?.publishing ?? false;
  }

  /** Display name of a participant. */
  nameOf(number: number): string | undefined {
    return this.participants.get(number)?.name;
  }

  /** The data of the events that the client gets for an event of the conference. */
  apply(event: SharedEvent): JsonObject[] {
    switch (event.type) {
      case "snapshot":
        return this.applySnapshot(event.participants);
      case "participant-joined":
        return this.update(event.participant, false);
      case "participant-updated":
        return this.update(event.participant, event.rejoined);
      case "participant-left":
        return this.remove(event.participantId, event.number);
      default:
        return [];
    }
  }

  private applySnapshot(participants: readonly ConferenceParticipantState[]): JsonObject[] {
    const present = new Set(participants.map(({ number }) => number));
    const gone = [...this.participants.values()].filter(({ number }) => !present.has(number));
    return [
      ...gone.flatMap(({ id, number }) => this.remove(id, number)),
      ...participants.flatMap((participant) => this.update(participant, false)),
    ];
  }

  /** @param rejoined whether the participant has come back from another device, so that its earlier media is gone */
  private update(participant: ConferenceParticipantState, rejoined: boolean): JsonObject[] {
    const { number } = participant;
    const known = this.participants.get(number);
    // Another id is another membership of the same user: the earlier one has ended.
    const again = known !== undefined && (rejoined || known.id !== participant.id);
    this.participants.set(number, participant);
    if (participant.id === this.ownId) return [];
    const events: JsonObject[] = [];
    if (again) {
      // Also if its media has ended before: the client library keeps a person until it has left.
      this.announced.delete(number);
      events.push(this.event("leaving", number));
    } else if (this.announced.has(number) && !participant.publishing) {
      this.announced.delete(number);
      events.push(this.event("unpublished", number));
    }
    if (participant.publishing && !this.announced.has(number)) {
      this.announced.add(number);
      events.push(this.event("publishers", [shown(participant)]));
    }
    return events;
  }

  private remove(participantId: number, number: number): JsonObject[] {
    // A late event of an earlier membership of the same user.
    if (this.participants.get(number)?.id !== participantId) return [];
    this.participants.delete(number);
    this.announced.delete(number);
    return participantId === this.ownId ? [] : [this.event("leaving", number)];
  }

  private event(name: string, value: Json): JsonObject {
    return { videoroom: "event", room: this.room, [name]: value };
  }
}

/** A participant as legacy clients see it: ids are numbers, which they compare strictly. */
function shown({ number, name }: ConferenceParticipantState): JsonObject {
  return { id: number, display: name };
}

/** A participant in the list of participants. */
export function listedParticipant(participant: ConferenceParticipantState): JsonObject {
  return { ...shown(participant), publisher: participant.publishing };
}
