import type { MemberStatistics } from "./conference-types.ts";

/** Loudness from which a member speaks, between 0 and 1. */
const SPEAKING_LEVEL = 0.02;
/** Readings without a voice after which a member speaks no more, so that a pause for breath does not count. */
const SILENT_READINGS = 2;
/** Readings without a picture after which a video counts as paused: two seconds. */
const PAUSED_READINGS = 4;

interface Activity {
  level: number;
  silent: number;
  speaking: boolean;
  withoutPicture: number;
}

/** Who speaks, and whose video does not arrive, from statistics that are read every half second. */
export class ActivityTracker {
  readonly #members = new Map<string, Activity>();

  /** Loudness of a member, from 0 to 1. */
  level(memberId: string): number {
    return this.#members.get(memberId)?.level ?? 0;
  }

  isSpeaking(memberId: string): boolean {
    return this.#members.get(memberId)?.speaking ?? false;
  }

  isVideoPaused(memberId: string): boolean {
    return (this.#members.get(memberId)?.withoutPicture ?? 0) >= PAUSED_READINGS;
  }

  /**
   * Takes the next statistics.
   * @param expectsPicture whether a member's camera should be seen here
   * @returns the members who have started or stopped speaking, or whose video was paused or resumed
   */
  update(
    stats: ReadonlyMap<string, MemberStatistics>,
    expectsPicture: (memberId: string) => boolean,
  ): string[] {
    const changed: string[] = [];
    for (const memberId of this.#members.keys()) {
      if (!stats.has(memberId)) this.#members.delete(memberId);
    }
    for (const [memberId, { audioLevel, sentAudioLevel, receivedFrameRate }] of stats) {
      const before = [this.isSpeaking(memberId), this.isVideoPaused(memberId)];
      const known = this.#members.get(memberId);
      const level = audioLevel ?? sentAudioLevel ?? 0;
      const silent = level > SPEAKING_LEVEL ? 0 : (known?.silent ?? SILENT_READINGS) + 1;
      const isMissing = expectsPicture(memberId) && receivedFrameRate === 0;
      this.#members.set(memberId, {
        level,
        silent,
        speaking: silent <= SILENT_READINGS,
        withoutPicture: isMissing ? (known?.withoutPicture ?? 0) + 1 : 0,
      });
      const now = [this.isSpeaking(memberId), this.isVideoPaused(memberId)];
      if (now.some((each, index) => each !== before[index])) changed.push(memberId);
    }
    return changed;
  }
}
