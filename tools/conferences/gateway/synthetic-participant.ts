import type { MediaSource } from "../../../src/domain/conferences/engine/engine";
import type { TrackReport } from "../synthetic-media";
import type {
  PublisherReport,
  SyntheticPeers,
  SyntheticPublisher,
  SyntheticWatcher,
  WatcherReport,
} from "../synthetic-peer";

/** What every participant publishes unless told otherwise: VP8-shaped video beside the usual audio. */
const MEDIA = { kbits: 480, fps: 20 };
/** Time between attempts of a participant that comes back, in milliseconds. */
const RETRY_MS = 100;

/** The calls of a participant that has joined, by whichever way it reaches the engine. */
export interface ParticipantCalls {
  publish(offer: string, source: MediaSource): Promise<{ peerId?: string; answer: string }>;
  /** `offer` is null or empty if there is nothing to receive yet. */
  watch(): Promise<{ peerId: string; offer: string | null }>;
  answer(peerId: string, answer: string): Promise<void>;
}

/** How a participant behaves. */
export interface ParticipantOptions {
  /** Media of the participant, instead of the default. */
  media?: { kbits: number; fps: number; audio?: number };
  /** Whether it opens a peer connection again that has ended by itself or failed; otherwise that is a failure. */
  recovers?: boolean;
}

/** A participant without a browser: it publishes, watches all others, and answers every offer, one after the other. */
export class SyntheticParticipant {
  private publisher: { client: SyntheticPublisher; peerId: string } | null = null;
  private watcher: SyntheticWatcher | null = null;
  private screen: SyntheticPublisher | null = null;
  private peerId = "";
  /** The last offer that was answered: an event after a snapshot repeats it. */
  private answered: string | null = null;
  private failure: unknown = null;
  private closed = false;
  private work: Promise<void> = Promise.resolve();

  /** @param number marks its packets, so that the others can tell whom they see */
  constructor(
    private readonly peers: SyntheticPeers,
    readonly number: number,
    private readonly calls: ParticipantCalls,
    private readonly options: ParticipantOptions = {},
  ) {}

  /** Publishes, then watches. */
  async open(): Promise<void> {
    const open = (act: () => Promise<void>) =>
      this.options.recovers ? this.reopen(act) : this.queue(act);
    open(() => this.publish());
    open(() => this.watch());
    await this.work;
    this.throwFailure();
  }

  /** Shares a screen without sound, whose packets have a number of their own. @throws what the call throws */
  async shareScreen(number: number): Promise<void> {
    const { media = MEDIA } = this.options;
    const client = await this.peers.publish({ sender: number, ...media, audio: 0 });
    try {
      const { answer } = await this.calls.publish(client.offer, "screen");
      await client.accept(answer);
      this.screen = client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** The streams of the watching peer have changed; without an offer nothing is to do. */
  onStreams(peerId: string, offer: string | null | undefined): void {
    if (!offer) return;
    this.queue(async () => {
      try {
        await this.follow(peerId, offer);
      } catch (error) {
        if (!this.options.recovers) throw error;
        if (peerId === this.peerId) this.reopen(() => this.watch());
      }
    });
  }

  /** The conference asks for new peer connections: the media server has restarted. */
  onReconnect(): void {
    this.reopen(() => this.publish());
    this.reopen(() => this.watch());
  }

  /** A peer has ended by itself. */
  onEnded(reason: string, peerId?: string): void {
    if (!this.options.recovers) {
      this.failure ??= new Error(`participant ${this.number} lost a peer connection: ${reason}`);
      return;
    }
    // After the response that names the peer, which may arrive later than the event.
    this.queue(async () => {
      if (peerId === this.peerId) this.reopen(() => this.watch());
      else if (peerId === this.publisher?.peerId) this.reopen(() => this.publish());
    });
  }

  /** What it has received. @throws Error if one of its calls failed or a peer has ended */
  async received(): Promise<TrackReport[]> {
    return (await this.watching()).tracks;
  }

  /** Its watching connection; in the state `closed` without one. @throws Error as {@link received} */
  async watching(): Promise<WatcherReport> {
    this.throwFailure();
    return (await this.watcher?.report()) ?? { state: "closed", tracks: [] };
  }

  /** The state of its publishing connection, and the frames that it has sent; in the state `closed` without one. */
  async publishing(): Promise<Pick<PublisherReport, "state" | "frames">> {
    return (await this.publisher?.client.report()) ?? { state: "closed", frames: 0 };
  }

  /** Ends its peer connections, without a word to the engine. */
  async close(): Promise<void> {
    this.closed = true;
    await this.work;
    await this.publisher?.client.close();
    await this.screen?.close();
    await this.watcher?.close();
  }

  private async publish(): Promise<void> {
    const { media = MEDIA } = this.options;
    await this.publisher?.client.close();
    this.publisher = null;
    const client = await this.peers.publish({ sender: this.number, ...media });
    const { peerId = "", answer } = await this.calls.publish(client.offer, "main");
    this.publisher = { client, peerId };
    await client.accept(answer);
  }

  private async watch(): Promise<void> {
    await this.watcher?.close();
    this.watcher = null;
    this.peerId = "";
    const { peerId, offer } = await this.calls.watch();
    this.peerId = peerId;
    if (offer) await this.follow(peerId, offer);
  }

  private async follow(peerId: string, offer: string): Promise<void> {
    if (peerId !== this.peerId || offer === this.answered) return;
    this.answered = offer;
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

  /** Opens a peer connection, as soon as it succeeds. */
  private reopen(open: () => Promise<void>): void {
    this.queue(async () => {
      if (this.closed) return;
      await open().catch(() => {
        setTimeout(() => this.reopen(open), RETRY_MS).unref();
      });
    });
  }

  private queue(act: () => Promise<void>): void {
    this.work = this.work.then(act).catch((error: unknown) => {
      if (!this.closed && !this.options.recovers) this.failure ??= error;
    });
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure;
  }
}
