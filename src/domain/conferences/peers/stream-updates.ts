import type { ConferenceEngine, Feed, PeerResponse, PeerStream } from "../engine/engine";

/** Time that a client has to answer an offer before the next one may be sent, in milliseconds. */
const ANSWER_MS = 10_000;

/** What a watching peer that receives all feeds needs of its conference. */
export interface StreamUpdatesOptions {
  peer: string;
  /** The feeds that it should receive now. */
  feeds(): Feed[];
  /** Its streams have changed; with an offer, its client must answer. */
  onStreams(streams: PeerStream[], offer: string | undefined): void;
  /** An update has failed; the peer is closed. */
  onFailed(reason: string): void;
  /** Milliseconds of the clock. */
  now(): number;
}

/**
 * Gives a watching peer the current feeds: one update at a time, the next one once the client has answered the offer.
 * Feeds that change during an update are taken together.
 */
export class StreamUpdates {
  private updating = false;
  /** Until when the client's answer is awaited; 0 if none is. */
  private answerUntil = 0;
  /** Whether the feeds have changed since the last update. */
  private stale = false;
  private timer: NodeJS.Timeout | null = null;
  private offer: string | undefined;

  /** @param streams the streams so far */
  constructor(
    private readonly engine: Pick<ConferenceEngine, "signal" | "close">,
    private readonly options: StreamUpdatesOptions,
    private streams: PeerStream[],
  ) {}

  /** Updates the peer as soon as possible. */
  update(): void {
    this.stale = true;
    if (this.updating || this.timer) return;
    const wait = this.answerUntil - this.options.now();
    if (wait <= 0) {
      void this.run();
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = null;
      this.answerUntil = 0;
      this.update();
    }, wait);
    this.timer.unref();
  }

  /** The client has an offer to answer. */
  offered(sdp: string | undefined): void {
    this.offer = sdp;
    this.answerUntil = this.options.now() + ANSWER_MS;
  }

  /** The client has answered. @param next what the engine responded, which may have another offer */
  answered({ sdp, streams }: PeerResponse): void {
    this.offer = undefined;
    this.answerUntil = 0;
    this.stop();
    if (streams) this.streams = streams;
    if (sdp !== undefined) {
      this.offered(sdp);
      this.options.onStreams(this.streams, sdp);
    }
    this.update();
  }

  /** The engine has changed the streams by itself. */
  changed(streams: PeerStream[]): void {
    this.streams = streams;
    this.options.onStreams(streams, undefined);
  }

  /** Repeats the streams, and an offer that is not answered. */
  repeat(): void {
    this.options.onStreams(this.streams, this.offer);
  }

  /** Ends what waits. */
  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async run(): Promise<void> {
    const { peer, feeds, onStreams, onFailed } = this.options;
    const wanted = feeds();
    this.stale = false;
    if (this.carries(wanted)) return;
    this.updating = true;
    try {
      const { sdp, streams = [] } = await this.engine.signal(peer, { watch: wanted });
      this.streams = streams;
      if (sdp !== undefined) this.offered(sdp);
      onStreams(streams, sdp);
    } catch (error) {
      onFailed(error instanceof Error ? error.message : "the update failed");
      // The engine still has the peer, and would continue to send to it.
      void this.engine.close({ peer }).catch(() => undefined);
    }
    this.updating = false;
    if (this.stale) this.update();
  }

  /** Whether the peer carries exactly these feeds, as after most answers. */
  private carries(wanted: Feed[]): boolean {
    const carried = new Set(this.streams.flatMap(({ feed }) => (feed ? [keyOf(feed)] : [])));
    return carried.size === wanted.length && wanted.every((feed) => carried.has(keyOf(feed)));
  }
}

function keyOf({ participant, source }: Feed): string {
  return `${participant} ${source}`;
}
