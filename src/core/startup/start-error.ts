/** What keeps the service from starting. */
export interface Problem {
  /** What is wrong, as a clause. */
  detail: string;
  /** How to fix it, as a clause in the imperative. */
  fix: string;
}

/**
 * The service cannot start here. The message is for the operator: one sentence for each problem, with the
 * remedy, and no secret.
 */
export class StartError extends Error {
  override readonly name = "StartError";
  constructor(problems: Problem[]) {
    super(problems.map(({ detail, fix }) => `${detail}: ${fix}.`).join("\n"));
  }
}
