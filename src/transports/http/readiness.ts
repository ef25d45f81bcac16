import { monotonicNow } from "../../core/clock";

/** How long an answer is reused, in milliseconds. */
const REUSE_MS = 1_000;
/** Time limit of a check, in milliseconds: shorter than those of the database. */
const CHECK_MS = 5_000;

/**
 * Whether the services that a node depends on accept writes. Anybody may ask, so all who ask share one check, and its
 * answer is reused for a second.
 */
export class Readiness {
  private latest = { ready: false, at: Number.NEGATIVE_INFINITY };
  private running: Promise<boolean> | null = null;
  /** Whether a check has not ended, which may be after its time limit. */
  private isOpen = false;

  /** @param verify rejects unless the services accept writes */
  constructor(private readonly verify: () => Promise<void>) {}

  /** Never rejects. */
  isReady(): Promise<boolean> {
    if (monotonicNow() - this.latest.at < REUSE_MS) return Promise.resolve(this.latest.ready);
    if (this.running === null && this.isOpen) return Promise.resolve(false);
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async run(): Promise<boolean> {
    this.isOpen = true;
    const verified = this.verify()
      .then(
        () => true,
        // The caller has logged the reason.
        () => false,
      )
      .finally(() => {
        this.isOpen = false;
      });
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), CHECK_MS);
    });
    const ready = await Promise.race([verified, tooLate]);
    clearTimeout(timer);
    this.latest = { ready, at: monotonicNow() };
    return ready;
  }
}
