import type { Statement } from "./store";

/** Maximum number of prepared statements of one connection. */
const STATEMENTS = 200;
/** Maximum number of texts with one statement name, so that filtered lists do not use up all names. */
const SHAPES = 60;

/**
 * Assigns names to prepared statements. PostgreSQL keeps a prepared statement for the life of its connection,
 * so their number is bounded; further statements run unprepared. Each name has exactly one text, since
 * PostgreSQL rejects a second one.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly shapes = new Map<string, number>();

  /** The name to prepare a statement under; undefined to run it unprepared. */
  nameFor({ name, text, unprepared }: Statement): string | undefined {
    if (unprepared) return undefined;
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const shape = (this.shapes.get(name) ?? 0) + 1;
    if (this.names.size >= STATEMENTS || shape > SHAPES) return undefined;
    this.shapes.set(name, shape);
    // PostgreSQL truncates identifiers to 63 bytes, which could make two names equal.
    const prepared = `${name.slice(0, 48)}:${this.names.size}`;
    this.names.set(text, prepared);
    return prepared;
  }
}
