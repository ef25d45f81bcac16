import { monotonicNow } from "../../core/clock";
import { Fault } from "../../core/errors";
import { type Log, warnRarely } from "../../core/log";
import { isDiskFull, isExhausted, isReadOnlyServer, isUnreachable } from "./database-errors";

/** How long a change that a full disk refused counts, in milliseconds: smaller changes may still succeed meanwhile. */
const DISK_FULL_MS = 10_000;

/** The errors of a store's database. */
export class QueryErrors {
  private diskFullAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly log: Log) {}

  /** Whether the disk of the database has refused a change within the last ten seconds. */
  isDiskFull(): boolean {
    return monotonicNow() - this.diskFullAt < DISK_FULL_MS;
  }

  /**
   * Converts a driver error for the caller of `query`: a Fault UNAVAILABLE if the database cannot be reached or accepts no
   * changes, otherwise the error without the values of the statement, which may be secrets and would be logged.
   */
  readonly convert = (error: unknown): unknown => {
    if (isUnreachable(error)) {
      warnRarely(this.log, { err: error }, "the database cannot be reached");
      return unavailable("The database cannot be reached; try again");
    }
    if (isDiskFull(error)) {
      this.diskFullAt = monotonicNow();
      warnRarely(this.log, { err: error }, "the database accepts no changes: its disk is full");
      return unavailable("The disk of the database is full; try again when it has space");
    }
    if (isReadOnlyServer(error) || isExhausted(error)) {
      warnRarely(this.log, { err: error }, "the database accepts no changes");
      return unavailable("The database accepts no changes; try again");
    }
    if (typeof error === "object" && error !== null) {
      for (const name of ["params", "queryOptions", "detail"]) Reflect.deleteProperty(error, name);
    }
    return error;
  };
}

function unavailable(message: string): Fault {
  return new Fault("UNAVAILABLE", message, undefined, 2);
}
