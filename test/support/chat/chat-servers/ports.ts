import { connect } from "node:net";

/** Resolves if something listens on a port of the loopback address; rejects otherwise. */
export function listens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
