import type { SyntheticParticipant } from "../../tools/conferences/gateway/synthetic-participant";
import type { Usage } from "../process-usage";

/** The engines of the benchmark. */
export type EngineName = "embedded" | "Janus";

/** How participants reach the engine: through the gateway, or without it, which is the floor. */
export type Way = "gateway" | "bare";

/** The usage of the processes so far. */
export interface SubjectUsage {
  engine: Usage;
  /** Absent without the gateway. */
  gateway?: Usage;
}

/** A conference under measurement. */
export interface BenchConference {
  /** Joins the next participant. Resolves when it has published and watches. */
  join(): Promise<SyntheticParticipant>;
  /** Ends the conference at the engine. */
  close(): Promise<void>;
}

/** An engine with or without the gateway. */
export interface Subject {
  engine: EngineName;
  way: Way;
  open(): Promise<BenchConference>;
  usage(): SubjectUsage;
  stop(): Promise<void>;
}
