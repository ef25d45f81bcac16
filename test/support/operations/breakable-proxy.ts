import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy whose connections a test can break, like a phone that changes its network. */
export interface BreakableProxy {
  port: number;
  /** Number of open connections. */
  openConnections(): number;
  /** Destroys every connection without a protocol-level close. */
  breakConnections(): void;
  /** Forwards new connections to another port. */
  redirect(port: number): void;
  close(): Promise<void>;
}

/** Starts a proxy to a local port. */
export async function startBreakableProxy(port: number): Promise<BreakableProxy> {
  let target = port;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakConnections = () => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    openConnections: () => pairs.size,
    breakConnections,
    redirect(other) {
      target = other;
    },
    async close() {
      breakConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
