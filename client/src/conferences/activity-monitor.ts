import { ActivityTracker } from "./activity.ts";
import type { ConferenceMedia } from "./conference-media.ts";
import type { MemberStatistics } from "./conference-types.ts";
import { StatsReader } from "./stats.ts";

/** Interval at which it is measured who speaks, in milliseconds. */
const INTERVAL_MS = 500;
/** Readings of the activity for each one of the statistics. */
const STATISTICS_READINGS = 4;

/** What an {@link ActivityMonitor} asks and reports. */
export interface ActivityListener {
  /** Whether a member says that its camera is on. */
  isCameraOn(memberId: string): boolean;
  onSpeaking(memberId: string, speaking: boolean): void;
  /** A member has started or stopped speaking, or a video was paused or resumed. */
  onChange(): void;
  /** Whether somebody wants the statistics. */
  wantsStatistics(): boolean;
  onStatistics(stats: ReadonlyMap<string, MemberStatistics>): void;
}

/** Measures who speaks and what is received. */
export class ActivityMonitor {
  readonly tracker = new ActivityTracker();
  readonly #media: ConferenceMedia;
  readonly #listener: ActivityListener;
  readonly #levels = new StatsReader();
  readonly #stats = new StatsReader();
  #timer: ReturnType<typeof setInterval> | undefined;
  #readings = 0;

  constructor(media: ConferenceMedia, listener: ActivityListener) {
    this.#media = media;
    this.#listener = listener;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#measure().catch(() => {}), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #measure(): Promise<void> {
    const { tracker } = this;
    const levels = await this.#levels.read(this.#media.measured());
    if (this.#timer === undefined) return;
    const spoke = new Set([...levels.keys()].filter((id) => tracker.isSpeaking(id)));
    const changed = tracker.update(levels, (memberId) => {
      const { watcher } = this.#media;
      if (!this.#listener.isCameraOn(memberId) || !watcher.isReceiving(memberId)) return false;
      return (watcher.stream(memberId, "MAIN")?.getVideoTracks().length ?? 0) > 0;
    });
    for (const memberId of changed) {
      const speaking = tracker.isSpeaking(memberId);
      if (speaking !== spoke.has(memberId)) this.#listener.onSpeaking(memberId, speaking);
    }
    if (changed.length > 0) this.#listener.onChange();
    this.#readings += 1;
    if (this.#readings % STATISTICS_READINGS === 0 && this.#listener.wantsStatistics()) {
      this.#listener.onStatistics(await this.#stats.read(this.#media.measured()));
    }
  }
}
