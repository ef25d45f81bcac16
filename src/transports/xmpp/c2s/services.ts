import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { Router } from "../../../domain/calls/router";
import type { OpenSockets } from "../../../platform/limits/open-sockets";
import type { PreAuthLimits } from "../../../platform/limits/pre-auth-limiter";
import type { StreamLimits } from "../stream/stream";
import type { StreamManagementLimits } from "../stream-management/acknowledgements";
import type { ResumptionLimits } from "../stream-management/resumable-streams";

/** A sign-in attempt. */
export interface SignInAttempt {
  applicationId: number;
  userId: number;
  /** A password or a session token. */
  secret: string;
  /** Null if it is unknown. */
  ip: string | null;
  /** Origin of the web page, if a browser sent one. */
  origin?: string;
}

/** A successful sign-in. */
export interface SuccessfulSignIn {
  /** Null after a sign-in by password: the stream then belongs to the user, not to a session. */
  sessionId: number | null;
  /** Fingerprint of the password that was used, for {@link LiveStream}. It does not reveal the password. */
  passwordFingerprint?: string;
  /**
   * Checks the credentials again once the stream is watched, in case they were revoked in between.
   * @throws Fault as for the sign-in
   */
  confirm(): Promise<void>;
}

/** A live stream, registered so that it can be closed when its session or user ends. */
export interface LiveStream {
  applicationId: number;
  userId: number;
  sessionId: number | null;
  passwordFingerprint?: string;
  /** Origin of the web page, if a browser sent one. */
  origin?: string;
  /** Ends the stream because its session or user has ended. */
  close(): void;
  /** Ends the stream because the application no longer allows its web origin. */
  refuse(): void;
}

/** Dependencies of the chat endpoint; the composition root supplies them. */
export interface ChatServices {
  config: Config;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  counters: ApplicationCounters;
  router: Router;
  /** Bounds the streams that have signed in. */
  openSockets: OpenSockets;
  /**
   * Checks a password or a session token.
   * @throws Fault UNAUTHENTICATED (the same for an unknown user and a wrong password), FORBIDDEN for a web
   *   origin that the application does not allow, LIMITED, UNAVAILABLE
   */
  authenticate(attempt: SignInAttempt): Promise<SuccessfulSignIn>;
  /**
   * Returns a function that counts the messages of a user by client address (null if unknown) and throws
   * Fault LIMITED above the limit.
   */
  messageCounter(user: { applicationId: number; userId: number }): (ip: string | null) => void;
  /** @throws Fault UNAVAILABLE while the node is overloaded and accepts no new streams */
  admitConnection(): void;
  /** Registers a stream to be closed when its session or user ends. Returns a function to unregister it. */
  watch(stream: LiveStream): () => void;
  /** Overrides of the default limits. */
  limits?: Partial<ChatLimits>;
}

/** Limits of the endpoint. */
export interface ChatLimits extends StreamLimits, StreamManagementLimits, ResumptionLimits {
  /** Limits of unauthenticated connections. */
  preAuth: PreAuthLimits;
  /** Number of failed sign-ins after which a stream is closed. */
  maxFailures: number;
  /** Delay of the first throttled sign-in, in milliseconds. */
  failureDelayMs: number;
}
