/** What the server, or the way to it, refused; its text is for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
