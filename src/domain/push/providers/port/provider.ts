import type { PushPayload } from "../../payload/push-payload";

/** The device that receives a push. */
export interface PushTarget {
  /** Identifies the delivery to providers that accept an id, so that repeated attempts are recognizable. */
  deliveryId: number;
  /** Device token; for a browser its endpoint URL. */
  token: string;
  /** Bundle identifier or package of the app, if the device reported it. */
  bundleId: string | null;
  /** Secret and public key of a browser (RFC 8291), in base64url. */
  webAuth: string | null;
  webP256dh: string | null;
}

/** Outcome of an attempt. Reasons come from the provider, or from Signalbox if the provider gives none. */
export type Outcome =
  /** The provider accepted the push. */
  | { kind: "accepted"; providerId: string | null }
  /** The device is no longer registered; its subscription can be deleted. */
  | { kind: "unregistered"; reason: string }
  /** Transient failure; delayMs is the delay that the provider requests, in milliseconds. */
  | { kind: "retry"; reason: string; delayMs: number | null }
  /** Permanent failure. */
  | { kind: "failed"; reason: string };

/** Prefix of a check's text if the service gave no verdict on the credentials. */
export const CHECK_UNAVAILABLE = "the service is unavailable";

/** Text of a check without a verdict, which is not the credentials' fault. */
export const checkUnavailable = (reason: string): string => `${CHECK_UNAVAILABLE}: ${reason}`;

/**
 * A push service with the credentials of one application and environment. Connects with the first push and
 * keeps connections open. Sending never throws: a failure is an outcome.
 */
export interface Provider {
  /** Sends a push once, without retries. Calls may run concurrently. */
  send(push: PushPayload, target: PushTarget): Promise<Outcome>;

  /**
   * Asks the service whether it accepts the credentials, without sending a push.
   * @returns null, or the problem. If the service is unavailable, the text begins with
   * {@link CHECK_UNAVAILABLE}
   */
  check(): Promise<string | null>;

  /** Closes the connections after in-flight pushes. */
  close(): Promise<void>;
}

/** Provider for unreadable credentials: refuses every push and check with the reason. */
export function rejectingProvider(reason: string): Provider {
  const outcome: Outcome = { kind: "failed", reason };
  return {
    send: async () => outcome,
    check: async () => reason,
    close: async () => {},
  };
}
