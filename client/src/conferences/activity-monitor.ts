import { ActivityTracker } from "./activity.ts";
import type { ConferenceMedia } from "./conference-media.ts";
import type { ParticipantStatistics } from "./conference-types.ts";
import { StatsReader } from "./stats.ts";

/** Interval at which it is measured who speaks, in milliseconds. */
const INTERVAL_MS = 500;
/** Readings of the activity for each one of the statistics. */
const STATISTICS_READINGS = 4;

/** What an {@link ActivityMonitor} asks and reports. */
export interface ActivityListener {
  /** Whether a participant says that its camera is on. */
  isCameraOn(participantId: string): boolean;
  onSpeaking(participantId: string, speaking: boolean): void;
  /** A participant has started or stopped speaking, or a video was paused or resumed. */
  onChange(): void;
  /** Whether somebody wants the statistics. */
  wantsStatistics(): boolean;
  onStatistics(stats: ReadonlyMap<string, ParticipantStatistics>): void;
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
    const changed = tracker.update(levels, (participantId) => {
      const { watcher } = this.#media;
      if (!this.#listener.isCameraOn(participantId) || !watcher.isReceiving(participantId))
        return false;
      return (watcher.stream(participantId, "MAIN")?.getVideoTracks().length ?? 0) > 0;
    });
    for (const participantId of changed) {
      const speaking = tracker.isSpeaking(participantId);
      if (speaking !== spoke.has(participantId)) this.#listener.onSpeaking(participantId, speaking);
    }
    if (changed.length > 0) this.#listener.onChange();
    this.#readings += 1;
    if (this.#readings % STATISTICS_READINGS === 0 && this.#listener.wantsStatistics()) {
      this.#listener.onStatistics(await this.#stats.read(this.#media.measured()));
    }
  }
}
