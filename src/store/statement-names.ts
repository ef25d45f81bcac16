import type { Statement } from "./store";

/** Distinct prepared statements of one connection, at most. */
const STATEMENTS = 200;
/** Shapes of one statement name, at most: a user list with its filters must not crowd out the rest. */
const SHAPES = 60;

/**
 * Gives statements the names under which connections prepare them. PostgreSQL keeps a prepared
 * statement for the life of its connection, so their number is bounded; what comes later runs
 * unprepared. A name never stands for two texts, which PostgreSQL would take for an error.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly shapes = new Map<string, number>();

  /** The name to prepare a statement under; undefined to run it unprepared. */
  of({ name, text }: Statement): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const shape = (this.shapes.get(name) ?? 0) + 1;
    if (this.names.size >= STATEMENTS || shape > SHAPES) return undefined;
    this.shapes.set(name, shape);
    // PostgreSQL cuts identifiers at 63 bytes, which would make two names one.
    const prepared = `${name.slice(0, 48)}:${this.names.size}`;
    this.names.set(text, prepared);
    return prepared;
  }
}
