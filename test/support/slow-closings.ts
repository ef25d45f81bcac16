import { WebSocket } from "ws";

/**
 * Watches how often a server of this process gives a slow GraphQL client up. A client that is to read the
 * code has to go on reading now: ws waits half a minute for the answer, then cuts the connection.
 */
export function watchSlowClosings(): () => number {
  const closings = jest.spyOn(WebSocket.prototype, "close");
  afterAll(() => closings.mockRestore());
  return () => closings.mock.calls.filter(([code]) => code === 1013).length;
}
