/** A failed command. The message is shown to the user without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
