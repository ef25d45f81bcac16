import type { Random } from "../../test/support/noise";
import type { Deployment } from "../deployment/deployment";

/** What a case does its work with, and tells. */
export interface Case {
  random: Random;
  number: number;
  deployment: Deployment;
  /** Says what is sent: it is counted, and shown with a violation. */
  sent(input: string | Buffer): void;
  /** Says how an input was answered, in a few words that many answers share. */
  outcome(words: string): void;
  /** Says that something was broken that was promised. */
  violation(words: string): void;
  /** Names a request, by the X-Request-Id of its answer, so that the log can be compared. */
  request(id: string): void;
}

/** One way in, and how inputs for it are made. */
export interface Target {
  name: string;
  /** Share of the time, beside the others. */
  weight: number;
  /** Cases that run at once. */
  lanes: number;
  /** What the log may say of it: what only the operator's own parts can bring about. */
  allowed?: RegExp;
  /** Is called before the first case on a deployment. */
  prepare?(deployment: Deployment): Promise<void>;
  /** Sends one case. What it sends depends on `random` alone, but for tokens, ids and times. */
  run(each: Case): Promise<void>;
  /** Is called after the last case. */
  finish?(): Promise<void>;
}
