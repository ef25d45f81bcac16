import { MEDIA_LIMIT } from "./limits";

/**
 * Holds a publisher's audio or video to its cap, which clients are only asked to keep (REMB). A medium that stays beyond
 * 1.5 times the cap for 3 s is dropped until it has been within that for 3 s; one that stays beyond 3 times for 30 s
 * costs the peer its connection. Called about every second.
 */
export class MediaLimit {
  /** Whether it is dropped now. */
  isDropped = false;
  /** Seconds in a row. */
  private over = 0;
  private within = 0;
  private farOver = 0;

  /**
   * Takes the rate of the time since the last call.
   * @param bitrate what arrived, in bits per second
   * @param cap in bits per second
   * @returns false if the peer must be closed
   */
  update(bitrate: number, cap: number, seconds: number): boolean {
    const isOver = bitrate > MEDIA_LIMIT.drop * cap;
    this.over = isOver ? this.over + seconds : 0;
    this.within = isOver ? 0 : this.within + seconds;
    this.farOver = bitrate > MEDIA_LIMIT.close * cap ? this.farOver + seconds : 0;
    if (this.over >= MEDIA_LIMIT.dropSeconds) this.isDropped = true;
    else if (this.within >= MEDIA_LIMIT.dropSeconds) this.isDropped = false;
    return this.farOver < MEDIA_LIMIT.closeSeconds;
  }
}
