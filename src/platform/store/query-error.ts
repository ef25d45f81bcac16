import { Fault } from "../../core/errors";
import { type Log, warnRarely } from "../../core/log";
import { isExhausted, isReadOnlyServer, isUnreachable } from "./database-errors";

/**
 * Converts a driver error for the caller of `query`: a Fault UNAVAILABLE if the database cannot be reached or accepts no
 * changes, otherwise the error without the values of the statement, which may be secrets and would be logged.
 */
export function toQueryError(error: unknown, log: Log): unknown {
  if (isUnreachable(error)) {
    warnRarely(log, { err: error }, "the database cannot be reached");
    return new Fault("UNAVAILABLE", "The database cannot be reached; try again", undefined, 2);
  }
  if (isReadOnlyServer(error) || isExhausted(error)) {
    warnRarely(log, { err: error }, "the database accepts no changes");
    return new Fault("UNAVAILABLE", "The database accepts no changes; try again", undefined, 2);
  }
  if (typeof error === "object" && error !== null) {
    for (const name of ["params", "queryOptions", "detail"]) Reflect.deleteProperty(error, name);
  }
  return error;
}
