import { connect } from "node:net";

/** Resolves when something listens on a port of the loopback address. */
export function listens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
