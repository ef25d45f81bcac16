import type { ParticipantStatistics } from "./conference-types.ts";

/** Loudness from which a participant speaks, between 0 and 1. */
const SPEAKING_LEVEL = 0.02;
/** Readings without a voice after which a participant speaks no more, so that a pause for breath does not count. */
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
  readonly #participants = new Map<string, Activity>();

  /** Loudness of a participant, from 0 to 1. */
  level(participantId: string): number {
    return this.#participants.get(participantId)?.level ?? 0;
  }

  isSpeaking(participantId: string): boolean {
    return this.#participants.get(participantId)?.speaking ?? false;
  }

  isVideoPaused(participantId: string): boolean {
    return (this.#participants.get(participantId)?.withoutPicture ?? 0) >= PAUSED_READINGS;
  }

  /**
   * Takes the next statistics.
   * @param expectsPicture whether a participant's camera should be seen here
   * @returns the participants who have started or stopped speaking, or whose video was paused or resumed
   */
  update(
    stats: ReadonlyMap<string, ParticipantStatistics>,
    expectsPicture: (participantId: string) => boolean,
  ): string[] {
    const changed: string[] = [];
    for (const participantId of this.#participants.keys()) {
      if (!stats.has(participantId)) this.#participants.delete(participantId);
    }
    for (const [participantId, { audioLevel, sentAudioLevel, receivedFrameRate }] of stats) {
      const before = [this.isSpeaking(participantId), this.isVideoPaused(participantId)];
      const known = this.#participants.get(participantId);
      const level = audioLevel ?? sentAudioLevel ?? 0;
      const silent = level > SPEAKING_LEVEL ? 0 : (known?.silent ?? SILENT_READINGS) + 1;
      const isMissing = expectsPicture(participantId) && receivedFrameRate === 0;
      this.#participants.set(participantId, {
        level,
        silent,
        speaking: silent <= SILENT_READINGS,
        withoutPicture: isMissing ? (known?.withoutPicture ?? 0) + 1 : 0,
      });
      const now = [this.isSpeaking(participantId), this.isVideoPaused(participantId)];
      if (now.some((each, index) => each !== before[index])) changed.push(participantId);
    }
    return changed;
  }
}
