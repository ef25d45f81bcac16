/**
 * The service must not start on this database. The message is for the operator: it gives the reason, then the
 * remedy, and contains no secret.
 */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
}
