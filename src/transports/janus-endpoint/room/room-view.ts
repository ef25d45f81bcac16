import type { Json, JsonObject } from "../../../core/json";
import type { MemberState } from "../../../domain/conferences/model/conference";
import type { ConferenceEvent } from "../../../domain/conferences/model/conference-event";
import type { RoomName } from "../protocol/room-requests";

/** What a legacy client needs of an event of all members. */
type SharedEvent = Extract<ConferenceEvent, { sequence: number }>;

/**
 * The conference as one legacy client knows it: who is in it, and which feeds it was notified about. It turns the events
 * of the conference into those of the VideoRoom plugin. A member is announced (`publishers`) once its media flows, and
 * not again before the client has been told that it is gone: the client library shows a second announcement as a
 * second person. Shared screens are not announced.
 */
export class RoomView {
  private readonly members = new Map<number, MemberState>();
  /** Numbers of the members that the client may watch. */
  private readonly announced = new Set<number>();

  /**
   * @param room as the client wrote it
   * @param ownId id of the client's own member
   */
  constructor(
    private readonly room: RoomName,
    private readonly ownId: number,
  ) {}

  /** Takes the members at the client's join. @returns what `joined` contains of them */
  join(members: readonly MemberState[]): { publishers: JsonObject[]; attendees: JsonObject[] } {
    for (const member of members) this.members.set(member.number, member);
    const others = members.filter(({ id }) => id !== this.ownId);
    const publishing = others.filter((member) => member.publishing);
    for (const { number } of publishing) this.announced.add(number);
    return {
      publishers: publishing.map(shown),
      attendees: others.filter((member) => !member.publishing).map(shown),
    };
  }

  /** Whether a number is that of a member whose media flows. */
  isPublishing(number: number): boolean {
    return this.members.get(number)?.publishing ?? false;
  }

  /** Display name of a member. */
  nameOf(number: number): string | undefined {
    return this.members.get(number)?.name;
  }

  /** The data of the events that the client gets for an event of the conference. */
  apply(event: SharedEvent): JsonObject[] {
    switch (event.type) {
      case "snapshot":
        return this.applySnapshot(event.members);
      case "member-joined":
        return this.update(event.member, false);
      case "member-updated":
        return this.update(event.member, event.rejoined);
      case "member-left":
        return this.remove(event.memberId, event.number);
      default:
        return [];
    }
  }

  private applySnapshot(members: readonly MemberState[]): JsonObject[] {
    const present = new Set(members.map(({ number }) => number));
    const gone = [...this.members.values()].filter(({ number }) => !present.has(number));
    return [
      ...gone.flatMap(({ id, number }) => this.remove(id, number)),
      ...members.flatMap((member) => this.update(member, false)),
    ];
  }

  /** @param rejoined whether the member has come back from another device, so that its earlier media is gone */
  private update(member: MemberState, rejoined: boolean): JsonObject[] {
    const { number } = member;
    const known = this.members.get(number);
    // Another id is another membership of the same user: the earlier one has ended.
    const again = known !== undefined && (rejoined || known.id !== member.id);
    this.members.set(number, member);
    if (member.id === this.ownId) return [];
    const events: JsonObject[] = [];
    if (again) {
      // Also if its media has ended before: the client library keeps a person until it has left.
      this.announced.delete(number);
      events.push(this.event("leaving", number));
    } else if (this.announced.has(number) && !member.publishing) {
      this.announced.delete(number);
      events.push(this.event("unpublished", number));
    }
    if (member.publishing && !this.announced.has(number)) {
      this.announced.add(number);
      events.push(this.event("publishers", [shown(member)]));
    }
    return events;
  }

  private remove(memberId: number, number: number): JsonObject[] {
    // A late event of an earlier membership of the same user.
    if (this.members.get(number)?.id !== memberId) return [];
    this.members.delete(number);
    this.announced.delete(number);
    return memberId === this.ownId ? [] : [this.event("leaving", number)];
  }

  private event(name: string, value: Json): JsonObject {
    return { videoroom: "event", room: this.room, [name]: value };
  }
}

/** A member as legacy clients see it: ids are numbers, which they compare strictly. */
function shown({ number, name }: MemberState): JsonObject {
  return { id: number, display: name };
}

/** A member in the list of participants. */
export function participantOf(member: MemberState): JsonObject {
  return { ...shown(member), publisher: member.publishing };
}
