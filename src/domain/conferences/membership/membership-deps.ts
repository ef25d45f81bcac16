import type { EventReaders } from "../events/event-readers";
import type { ConferenceDeps } from "../rooms/conference-deps";

/** Dependencies of the functions on participants and their media. */
export interface MembershipDeps extends ConferenceDeps {
  readers: EventReaders;
  /** Whether the first join of a legacy client may create a conference of the application. */
  mayCreateOnJoin(applicationId: number): Promise<boolean>;
  /** Counts a conference that a user's first join creates, as one of the user's new calls. @throws Fault LIMITED */
  countNewCall(user: { applicationId: number; userId: number }): Promise<void>;
}
