import type { Random } from "../../tools/seeded-random";
import type { Deployment } from "../deployment/deployment";

/** Context of a case, and how it reports results. */
export interface Case {
  random: Random;
  number: number;
  deployment: Deployment;
  /** Records an input, which is counted and shown with violations. */
  sent(input: string | Buffer): void;
  /** Records the kind of response to an input, for the statistics. */
  outcome(words: string): void;
  /** Reports a violation. */
  violation(words: string): void;
  /** Records a response's X-Request-Id, to attribute log lines. */
  request(id: string): void;
}

/** An interface under test, and its input generator. */
export interface Target {
  name: string;
  /** Relative share of the time. */
  weight: number;
  /** Number of concurrent cases. */
  concurrency: number;
  /** Allowed log lines, which only the operator's own systems can cause. */
  allowed?: RegExp;
  /** Called before the first case on a deployment. */
  prepare?(deployment: Deployment): Promise<void>;
  /** Runs one case. Inputs are a function of `random`, except for tokens, ids and times. */
  run(each: Case): Promise<void>;
  /** Called after the last case. */
  finish?(): Promise<void>;
}
