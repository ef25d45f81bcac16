import type { PushOutcome } from "../../store/generated/enums";

/** The values of the database's enum `push_outcome`, as SQL statements name them. */
const STORED = {
  pending: "pending",
  accepted: "accepted",
  unregistered: "gone",
  retry: "later",
  failed: "refused",
} as const satisfies Record<PushOutcome, string>;

/** An outcome as the database stores it. */
export type StoredOutcome = (typeof STORED)[PushOutcome];

const OUTCOMES = new Map(
  Object.entries(STORED).map(([outcome, stored]) => [stored, outcome as PushOutcome]),
);

/** The value that the database stores for an outcome. */
export function toStored(outcome: PushOutcome): StoredOutcome {
  return STORED[outcome];
}

/** The outcome of a stored value. */
export function fromStored(stored: StoredOutcome): PushOutcome {
  return OUTCOMES.get(stored) ?? "pending";
}
