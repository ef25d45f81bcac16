/** Number of cursors that are remembered: as many as an inbox has entries at most. */
const LIMIT = 2_000;

/**
 * Recognizes what is delivered twice: delivery is at least once, and a repeat has the same cursor. Ids do not serve for
 * that: chat clients may send each repeat of a `call` with the same one.
 */
export class Deduplicator {
  readonly #seen = new Set<string>();

  /** Notes a cursor. @returns whether it was noted before */
  isDuplicate(cursor: string): boolean {
    if (this.#seen.has(cursor)) return true;
    this.#seen.add(cursor);
    if (this.#seen.size > LIMIT) {
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        break;
      }
    }
    return false;
  }

  /** Forgets all cursors: those of another inbox may be the same. */
  clear(): void {
    this.#seen.clear();
  }
}
