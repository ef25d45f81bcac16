/**
 * Why the service must not start on this database. The message is made to be read by whoever
 * operates it: the reason, then the remedy. It holds no secret.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
