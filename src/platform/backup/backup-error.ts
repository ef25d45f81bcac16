/** A backup cannot be read, or its content cannot be stored. The message is for the operator, and contains no secret. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
