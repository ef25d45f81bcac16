import type { Clock } from "../../../core/clock";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import type { Bus } from "../../../platform/bus/bus";
import type { Store } from "../../../platform/store/store";
import type { SessionEvents } from "../../session-events/session-events";
import type { OpenEngine } from "../engine/engine";
import type { Participant } from "../rows/participant-queries";

/** Dependencies of the conferences that this node hosts. */
export interface HostDeps {
  store: Store;
  bus: Bus;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "conferences" | "conferenceParticipants" | "conferenceTracks">;
  sessionEvents: SessionEvents;
  /** Null with CONFERENCES=off. */
  engine: OpenEngine | null;
  /** Id of this node among the hosts. */
  node: string;
  /** Whether there is no other node. */
  alone: boolean;
  /** Whether the session of a participant still is its user's. */
  isAuthorized(participant: Pick<Participant, "userId" | "sessionId">): Promise<boolean>;
}

/** Thrown when another node hosts the conference, or it is closed: the command runs elsewhere. */
export class NotHostedError extends Error {
  constructor() {
    super("this node does not host the conference");
  }
}
