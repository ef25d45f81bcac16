/** A live connection of a guest by link. */
export interface GuestConnection {
  conferenceId: number;
  /** The guest's number. */
  number: number;
  close(): void;
}

/** The connections of guests by link on this node. */
export class GuestConnections {
  private readonly byConference = new Map<number, Set<GuestConnection>>();

  /** Tracks a connection. @returns a function that stops tracking it */
  track(connection: GuestConnection): () => void {
    const { conferenceId } = connection;
    const known = this.byConference.get(conferenceId);
    if (known) known.add(connection);
    else this.byConference.set(conferenceId, new Set([connection]));
    return () => {
      const tracked = this.byConference.get(conferenceId);
      if (tracked?.delete(connection) && tracked.size === 0) {
        this.byConference.delete(conferenceId);
      }
    };
  }

  /** The connections that are open now. @param conferenceId only those of the guests of this conference */
  tracked(conferenceId?: number): GuestConnection[] {
    const sets =
      conferenceId === undefined
        ? [...this.byConference.values()]
        : [this.byConference.get(conferenceId) ?? []];
    return sets.flatMap((connections) => [...connections]);
  }
}
