/** What a watching client reports on its network, for a second or a longer period. */
export interface NetworkReport {
  /** Share of the video packets that were lost, 0 to 1; null if no report has come. */
  videoLoss: number | null;
  /** Bits per second that the client expects to receive at most; null if it estimates none. */
  estimate: number | null;
  /** Bits per second that were sent to it. */
  sent: number;
}

/** Above this share of lost video, the network is poor. */
const POOR_LOSS = 0.15;
/** Below this share, it is good again. */
const GOOD_LOSS = 0.05;
/** Seconds for which the network is poor before one more video is paused. */
export const PAUSE_AFTER = 3;
/** Seconds for which it is good before one is resumed; doubled after each attempt that failed. */
export const RESUME_AFTER = 5;
/** Maximum of these seconds. */
const RESUME_AFTER_MAX = 60;
/** A resumed video that must be paused within these seconds was resumed too early. */
const FAILED_WITHIN = 10;

/**
 * Audio first: how many videos of a watching peer to pause. While the loss of video is above 15 %, or the client's
 * estimate is below what it is sent, one more video is paused every 3 s. When there is neither for 5 s, one is resumed;
 * an attempt that fails doubles that time, up to a minute. Audio is never paused. An engine that reports less often
 * than that pauses or resumes one video per report.
 *
 * An estimate below what is sent that grows shows a client that does not know its network yet, and neither pauses nor
 * resumes: browsers begin with what they have received, and add about 8 % each second while the network carries it
 * (draft-ietf-rmcat-gcc-02, section 5.5). A further video may be far above that.
 */
export class PoorNetworkPolicy {
  private paused = 0;
  private poorFor = 0;
  private goodFor = 0;
  private resumeAfter = RESUME_AFTER;
  private sinceResumed = Number.POSITIVE_INFINITY;
  private lastEstimate: number | null = null;

  /**
   * Number of videos to pause now.
   * @param videos number of videos that could be sent
   * @param seconds what the report covers
   */
  update(report: NetworkReport, videos: number, seconds = 1): number {
    const loss = report.videoLoss ?? 0;
    const { estimate, sent } = report;
    const isShort = estimate !== null && estimate < sent;
    const isGrowing = isShort && (this.lastEstimate === null || estimate > this.lastEstimate);
    this.lastEstimate = estimate ?? this.lastEstimate;
    if (loss > POOR_LOSS || (isShort && !isGrowing)) this.poorFor += seconds;
    else if (!isGrowing) this.poorFor = 0;
    this.goodFor = loss < GOOD_LOSS && !isShort ? this.goodFor + seconds : 0;
    this.sinceResumed += seconds;
    if (this.poorFor >= PAUSE_AFTER && this.paused < videos) {
      this.paused += 1;
      this.poorFor = 0;
      if (this.sinceResumed <= FAILED_WITHIN) {
        this.resumeAfter = Math.min(RESUME_AFTER_MAX, this.resumeAfter * 2);
      }
    } else if (this.goodFor >= this.resumeAfter && this.paused > 0) {
      this.paused -= 1;
      this.goodFor = 0;
      this.sinceResumed = 0;
    }
    if (this.paused === 0 && this.goodFor >= RESUME_AFTER_MAX) this.resumeAfter = RESUME_AFTER;
    this.paused = Math.min(this.paused, videos);
    return this.paused;
  }
}

/**
 * The videos of a watching peer in the order in which a poor network pauses them: the last participants' first, and
 * shared screens at last.
 * @param videos in the order of their media sections
 */
export function pauseOrder<Video>(
  videos: readonly Video[],
  isScreen: (video: Video) => boolean,
): Video[] {
  const reversed = [...videos].reverse();
  return [...reversed.filter((video) => !isScreen(video)), ...reversed.filter(isScreen)];
}
