/** What a door knows of a request before anybody is looked up. */
export interface Caller {
  door: "graphql" | "websocket" | "rest";
  ip: string;
  userAgent?: string;
  /** Session token as sent. */
  token?: string;
  requestId: string;
  /**
   * Body parameters as sent, flattened to wire names (`user[login]`) and raw text; from REST alone,
   * where a signature may cover all of them.
   */
  parameters?: () => Array<[name: string, text: string]>;
  /** Closes the connection of a caller that does not keep up; of a socket alone. */
  hangUp?: () => void;
}
