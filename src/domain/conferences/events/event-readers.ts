import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";
import type { Store } from "../../../platform/store/store";
import type { EventSubscriber } from "../model/conference-service";
import { findSnapshot } from "../rows/conference-queries";
import { findSeatedParticipants, participantState } from "../rows/participant-queries";
import { EventReader } from "./event-reader";
import { ParticipantLeases } from "./participant-leases";

/** Dependencies of {@link EventReaders}. */
export interface EventReadersDeps {
  store: Pick<Store, "query">;
  bus: Bus;
  log: Log;
  /** Asks the host to send a participant its own events again. */
  repeatStreams(subscriber: EventSubscriber): Promise<void>;
  /** Called when this node begins to read the events of a conference. */
  onWatch(): void;
}

/** The conferences whose events subscribers of this node receive. */
export class EventReaders {
  private readonly readers = new Map<number, EventReader>();
  private readonly leases: ParticipantLeases;

  constructor(private readonly deps: EventReadersDeps) {
    this.leases = new ParticipantLeases(deps.store, deps.log, (subscriber) => {
      void this.readers.get(subscriber.ref.conferenceId)?.end({ subscriber });
    });
  }

  /** Ids of these conferences. */
  watched(): number[] {
    return [...this.readers.keys()];
  }

  /** See ConferenceService.subscribe. */
  async subscribe(
    subscriber: EventSubscriber,
    after: string | undefined,
  ): Promise<() => Promise<void>> {
    const { conferenceId, participantId, number, generation } = subscriber.ref;
    const participant = (await findSeatedParticipants(this.deps.store, conferenceId)).find(
      ({ id }) => id === participantId,
    );
    if (participant?.number !== number) {
      throw new Fault("NOT_FOUND", "There is no such participant in the conference");
    }
    if (participant.generation !== generation) {
      throw new Fault("CONFLICT", "Another device has taken this seat");
    }
    const release = this.leases.keep(subscriber);
    try {
      const detach = await this.readerOf(conferenceId).subscribe(subscriber, after);
      return async () => {
        release();
        await detach();
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.leases.close();
  }

  private readerOf(conferenceId: number): EventReader {
    const known = this.readers.get(conferenceId);
    if (known) return known;
    const { store } = this.deps;
    const reader = new EventReader(
      {
        ...this.deps,
        async loadSnapshot(id) {
          const found = await findSnapshot(store, id);
          if (!found) return null;
          const participants = await findSeatedParticipants(store, id);
          return { type: "snapshot", ...found, participants: participants.map(participantState) };
        },
      },
      conferenceId,
      () => {
        if (this.readers.get(conferenceId) === reader) this.readers.delete(conferenceId);
      },
    );
    this.readers.set(conferenceId, reader);
    this.deps.onWatch();
    return reader;
  }
}
