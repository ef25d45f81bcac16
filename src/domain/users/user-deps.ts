import type { Clock } from "../../core/clock";
import type { BatchLoader } from "../../core/loads/batch-loader";
import type { Log } from "../../core/log";
import type { Sealer } from "../../core/sealer";
import type { ApplicationCounters } from "../../core/statistics/application-counters";
import type { RateLimits } from "../../platform/limits/rate-limits";
import type { ExportedList } from "../../platform/store/rows/exported-list";
import type { Store, Transaction } from "../../platform/store/store";
import type { RequestContext } from "../access/request-context";
import type { PasswordHasher } from "../passwords/password";
import type { SessionEvent, SessionEvents } from "../session-events/session-events";
import type { User } from "./user";

/** A change of a user's e-mail address. */
export interface EmailChange {
  applicationId: number;
  userId: number;
  /** The old address, which is notified unless the user has been erased since. */
  email: string;
}

/** Runs a prepared statement, inside or outside of a transaction. */
export type Query = Store["query"];

/** The data that a module stores of users. */
export interface UserData {
  /** The lists of a user's rows, in the database's column names, without secrets. */
  exports: readonly ExportedList[];
  /**
   * Deletes what deleting the users' rows does not cascade to; runs before it, in its transaction.
   * @returns what every node is told after the commit
   */
  eraseUsers?(query: Query, userIds: number[]): Promise<SessionEvent[]>;
  /**
   * Stops what a user has started, and ends what it has derived from its rights, for a user who is being blocked; runs
   * in the transaction that blocks it.
   * @returns what every node is told after the commit
   */
  stopUser?(query: Query, userId: number, at: Date): Promise<SessionEvent[]>;
}

/** A change of what a user signs in with. */
export interface CredentialChange {
  userId: number;
  /** Whether the password changed; otherwise only the e-mail did. */
  password: boolean;
  /** The session that made the change; null for a change by a member of the account, which no session survives. */
  sessionId: number | null;
}

/** Dependencies of the functions of this module. */
export interface UserDeps {
  store: Store;
  clock: Clock;
  log: Log;
  /** Opens the secrets of applications. */
  sealer: Sealer;
  limits: RateLimits;
  /** Counts sign-ups and sign-ins. */
  counters: ApplicationCounters;
  passwordHasher: PasswordHasher;
  /** Notifies all nodes of changed and deleted users. */
  sessionEvents: SessionEvents;
  /** What other modules store of users. */
  userData: readonly UserData[];
  /**
   * Called in the transaction of a change: deletes reset links, and after a new password the user's other
   * sessions.
   */
  credentialsChanged(transaction: Transaction, change: CredentialChange): Promise<void>;
  /**
   * Enqueues a durable job that notifies an old e-mail address of its change; null if no mail is configured.
   * Throws Fault UNAVAILABLE.
   */
  deliverEmailChange: ((change: EmailChange) => Promise<void>) | null;
}

/** What the requests and subscriptions of a node share. */
export interface UserLoads {
  /** Users of any application, by their ids. */
  byId: BatchLoader<number, User>;
}

/** Context of the resolvers of this module. */
export interface UserContext extends RequestContext {
  users: UserDeps & UserLoads;
}
