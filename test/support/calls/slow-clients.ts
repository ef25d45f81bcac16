import { WebSocket } from "ws";

/**
 * Counts how often a server in this process closes a slow GraphQL client. To read the close code, a client
 * must resume reading: ws waits half a minute for the closing handshake, then destroys the connection.
 */
export function countSlowClosings(): () => number {
  const closings = jest.spyOn(WebSocket.prototype, "close");
  afterAll(() => closings.mockRestore());
  return () => closings.mock.calls.filter(([code]) => code === 1013).length;
}
