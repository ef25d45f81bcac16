import type {
  SyntheticPeers,
  SyntheticPublisher,
  SyntheticWatcher,
  WatcherReport,
} from "../../test/support/conferences/synthetic-peer";

/** What every member publishes: VP8-shaped video, and audio with 50 packets per second. */
const MEDIA = { kbits: 480, fps: 20 };

/** The calls of a member that has joined, by whichever way it reaches the engine. */
export interface MemberCalls {
  publish(offer: string): Promise<{ answer: string }>;
  /** `offer` is null or empty if there is nothing to receive yet. */
  watch(): Promise<{ peerId: string; offer: string | null }>;
  answer(peerId: string, answer: string): Promise<void>;
}

/** A member without a browser: it publishes, watches all others, and answers every offer, one after the other. */
export class SyntheticMember {
  private publisher: SyntheticPublisher | null = null;
  private watcher: SyntheticWatcher | null = null;
  private peerId = "";
  private failure: unknown = null;
  private work: Promise<void> = Promise.resolve();

  /** @param number marks its packets, so that the others can tell whom they see */
  constructor(
    private readonly peers: SyntheticPeers,
    readonly number: number,
    private readonly calls: MemberCalls,
  ) {}

  /** Publishes, then watches. */
  async open(): Promise<void> {
    this.queue(() => this.publish());
    this.queue(() => this.watch());
    await this.work;
    this.throwFailure();
  }

  /** The streams of the watching peer have changed; without an offer nothing is to do. */
  onStreams(peerId: string, offer: string | null | undefined): void {
    if (offer) this.queue(() => this.follow(peerId, offer));
  }

  /** A peer has ended by itself, which none may in a benchmark. */
  onEnded(reason: string): void {
    this.failure ??= new Error(`member ${this.number} lost a peer connection: ${reason}`);
  }

  /** What it has received. @throws Error if one of its calls failed or a peer has ended */
  async received(): Promise<WatcherReport["tracks"]> {
    this.throwFailure();
    return (await this.watcher?.report())?.tracks ?? [];
  }

  /** Ends its peer connections, without a word to the engine. */
  async close(): Promise<void> {
    await this.work;
    await this.publisher?.close();
    await this.watcher?.close();
  }

  private async publish(): Promise<void> {
    this.publisher = await this.peers.publish({ sender: this.number, ...MEDIA });
    const { answer } = await this.calls.publish(this.publisher.offer);
    await this.publisher.accept(answer);
  }

  private async watch(): Promise<void> {
    const { peerId, offer } = await this.calls.watch();
    this.peerId = peerId;
    if (offer) await this.follow(peerId, offer);
  }

  private async follow(peerId: string, offer: string): Promise<void> {
    if (peerId !== this.peerId) return;
    const { watcher } = this;
    if (watcher) {
      await this.calls.answer(peerId, await watcher.renegotiate(offer));
      return;
    }
    const first = await this.peers.watch(offer);
    this.watcher = first;
    await this.calls.answer(peerId, first.answer);
    await first.connect();
  }

  private queue(act: () => Promise<void>): void {
    this.work = this.work.then(act).catch((error: unknown) => {
      this.failure ??= error;
    });
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure;
  }
}
