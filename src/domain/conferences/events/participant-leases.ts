import type { Log } from "../../../core/log";
import type { Store } from "../../../platform/store/store";
import { PARTICIPANT_LEASE_S } from "../model/conference";
import type { EventSubscriber } from "../model/conference-service";
import { renewParticipants } from "../rows/participant-queries";

/** Interval of the renewals, in milliseconds: a third of the lease. */
const RENEW_MS = (PARTICIPANT_LEASE_S * 1000) / 3;

/** Keeps the seats of the participants that are connected to this node, with one statement for all of them. */
export class ParticipantLeases {
  private readonly subscribers = new Set<EventSubscriber>();
  private timer: NodeJS.Timeout | null = null;
  private renewing: Promise<void> | null = null;

  /** @param onOver called for a subscriber whose participant has lost its seat */
  constructor(
    private readonly store: Pick<Store, "query">,
    private readonly log: Log,
    private readonly onOver: (subscriber: EventSubscriber) => void,
  ) {}

  /** Keeps the seat of a subscriber's participant. @returns a function that stops */
  keep(subscriber: EventSubscriber): () => void {
    this.subscribers.add(subscriber);
    this.timer ??= setInterval(() => {
      this.renewing ??= this.renew().finally(() => {
        this.renewing = null;
      });
    }, RENEW_MS);
    this.timer.unref();
    return () => {
      this.subscribers.delete(subscriber);
      if (this.subscribers.size === 0) this.stop();
    };
  }

  async close(): Promise<void> {
    this.stop();
    await this.renewing;
  }

  private async renew(): Promise<void> {
    const subscribers = [...this.subscribers];
    if (subscribers.length === 0) return;
    // A participant may subscribe several times.
    const refs = new Map(
      subscribers.map(({ ref }) => [`${ref.participantId} ${ref.generation}`, ref] as const),
    );
    try {
      const kept = new Set(await renewParticipants(this.store, [...refs.values()]));
      for (const subscriber of subscribers) {
        if (!kept.has(subscriber.ref.participantId)) this.onOver(subscriber);
      }
    } catch (error) {
      this.log.warn({ err: error }, "the seats of conferences could not be kept");
    }
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}
