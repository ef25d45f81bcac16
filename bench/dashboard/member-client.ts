import { setTimeout as wait } from "node:timers/promises";

/** An answer of the service to an operation. */
export type Answer = Record<string, unknown>;

/** How often a request is repeated that the service sheds because the machine is busy, and after which time. */
const REPEATS = 60;
const REPEAT_MS = 500;

/** Sends operations with the token of a member, one after the other. */
export class MemberClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** @throws Error with the messages of the service if the operation fails */
  async ask(query: string, variables: Record<string, unknown> = {}): Promise<Answer> {
    return (await this.timed(query, variables)).answer;
  }

  /**
   * Sends an operation, again if the service sheds it.
   * @returns the answer, and the time of the request that it answers, in milliseconds
   * @throws Error with the messages of the service if the operation fails
   */
  async timed(
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<{ answer: Answer; ms: number }> {
    const body = JSON.stringify({ query, variables });
    for (let count = 0; ; count++) {
      const startedAt = performance.now();
      const response = await fetch(`${this.baseUrl}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Svc-Token": this.token },
        body,
      });
      const text = await response.text();
      const ms = performance.now() - startedAt;
      if (text.includes("overloaded") && response.status === 503 && count < REPEATS) {
        await wait(REPEAT_MS);
        continue;
      }
      const { data, errors } = JSON.parse(text) as {
        data?: Answer | null;
        errors?: Array<{ message: string }>;
      };
      if (!errors && data) return { answer: data, ms };
      throw new Error(`${response.status} ${errors?.map(({ message }) => message)}: ${body}`);
    }
  }
}
