/** What a door knows of a request before anybody is looked up. */
export interface Caller {
  door: "graphql" | "websocket" | "rest";
  ip: string;
  userAgent?: string;
  /** Session token as sent. */
  token?: string;
  /** The web page's origin, where a browser named one. */
  origin?: string;
  requestId: string;
  /**
   * Body parameters as sent, flattened to wire names (`user[login]`) and raw text; from REST alone,
   * where a signature may cover all of them.
   */
  parameters?: () => Array<[name: string, text: string]>;
  /** Closes the connection of a caller that does not keep up; of a socket alone. */
  hangUp?: () => void;
  /**
   * Moves the connection to the session of another token of the same user; of a socket alone.
   * @throws Fault UNAUTHENTICATED, FORBIDDEN
   */
  renew?: (token: string) => Promise<void>;
  /** Session that the connection came with: names its device, also once it was renewed; of a socket alone. */
  deviceSession?: number;
  /** Keeps the connection open until this operation is answered, which ends it; of a socket alone. */
  answerFirst?: () => void;
}
