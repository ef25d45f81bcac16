import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a port that a test can break, as a phone that changes its network does. */
export interface BreakableProxy {
  port: number;
  /** Connections that stand. */
  open(): number;
  /** Breaks every connection without a word to either side's protocol. */
  cut(): void;
  /** Leads new connections to another port. */
  lead(port: number): void;
  close(): Promise<void>;
}

/** Opens a proxy to a port of this machine. */
export async function breakableProxy(port: number): Promise<BreakableProxy> {
  let target = port;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.size,
    cut,
    lead(other) {
      target = other;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
