import type { TrickledCandidate } from "../../../domain/conferences/engine/engine";

/** Maximum number of candidates that wait for their peer connection; clients gather fewer than fifty. */
const WAITING_MAX = 100;

/**
 * The trickled candidates of a handle. A client may send the first ones before its offer or answer, and an engine
 * takes none before it has both descriptions.
 */
export class Candidates {
  private waiting: TrickledCandidate[] = [];
  private pass: ((candidate: TrickledCandidate) => Promise<void>) | null = null;

  /** Passes a candidate on, or keeps it. Beyond the limit it is dropped. */
  async add(candidate: TrickledCandidate): Promise<void> {
    if (this.pass) await this.passOn(candidate);
    else if (this.waiting.length < WAITING_MAX) this.waiting.push(candidate);
  }

  /** Passes the kept candidates and all later ones on. */
  async open(pass: (candidate: TrickledCandidate) => Promise<void>): Promise<void> {
    this.pass = pass;
    for (const candidate of this.waiting.splice(0)) await this.passOn(candidate);
  }

  /** A candidate that cannot be used ends nothing: the others may suffice, and clients read no error. */
  private async passOn(candidate: TrickledCandidate): Promise<void> {
    await this.pass?.(candidate).catch(() => undefined);
  }

  /** Keeps later candidates for the next peer connection. */
  close(): void {
    this.pass = null;
    this.waiting = [];
  }
}
