import type { Router } from "../calls/router";
import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import type { PreAuthLimits } from "../limits/pre-auth-limiter";
import type { ManagementLimits } from "./management/acknowledgements";
import type { HibernationLimits } from "./management/hibernation";
import type { StreamLimits } from "./stream";

/** A sign-in to judge. */
export interface SignIn {
  applicationId: number;
  userId: number;
  /** A password or a session token. */
  secret: string;
  /** Null where it is not known. */
  ip: string | null;
  /** The web page's origin, where a browser named one. */
  origin?: string;
}

/** A sign-in that was found good. */
export interface Admission {
  /** Null when a password signed the stream in: it then belongs to the user alone. */
  sessionId: number | null;
  /** Which password did, for {@link LiveStream}; it tells nothing of the password. */
  password?: string;
  /** Looks once more, when the stream is watched. @throws Fault as for the sign-in */
  confirm(): Promise<void>;
}

/** A live stream, for whoever has to close it. */
export interface LiveStream {
  applicationId: number;
  userId: number;
  sessionId: number | null;
  password?: string;
  /** The web page's origin, where a browser named one. */
  origin?: string;
  /** Ends it with its session or user. */
  close(): void;
  /** Ends it because the application does not admit the web page any more. */
  refuse(): void;
}

/** What the chat endpoint stands on; the composition root supplies it. */
export interface ChatServices {
  config: Config;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  router: Router;
  /**
   * Checks a password or a session token.
   * @throws Fault UNAUTHENTICATED (the same for an unknown user and a wrong password), FORBIDDEN from a
   * web page that the application does not admit, LIMITED, UNAVAILABLE
   */
  authenticate(attempt: SignIn): Promise<Admission>;
  /**
   * What counts the messages of a user, each from the address it came from, where that is known; throws
   * Fault LIMITED for one that is too many.
   */
  messageCounter(user: { applicationId: number; userId: number }): (ip: string | null) => void;
  /** @throws Fault UNAVAILABLE while the node is overloaded and takes no new streams */
  admitConnection(): void;
  /** Registers a live stream, closed when its session or its user ends; answers how to withdraw it. */
  watch(stream: LiveStream): () => void;
  /** Bounds other than the usual ones. */
  limits?: Partial<ChatLimits>;
}

/** Bounds of the endpoint. */
export interface ChatLimits extends StreamLimits, ManagementLimits, HibernationLimits {
  /** Connections that have not signed in. */
  atTheDoor: PreAuthLimits;
  /** Failed sign-ins after which a stream is closed. */
  failures: number;
  /** Milliseconds that the first slowed sign-in waits. */
  failureMs: number;
}
