import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** An SNTP server (RFC 4330) for a test, with an adjustable clock. */
export interface TimeServer {
  /** host:port */
  address: string;
  /** Sets how far its clock is ahead of this machine's, in milliseconds. */
  setAhead(ms: number): void;
  close(): void;
}

/** Starts a time server with the correct time, on a free port. */
export async function startTimeServer(): Promise<TimeServer> {
  let ahead = 0;
  const socket = createSocket("udp4");
  socket.on("message", (request, from) => {
    const answer = Buffer.alloc(48);
    // Version 4, server mode; stratum 2.
    answer[0] = 0b00_100_100;
    answer[1] = 2;
    request.copy(answer, 24, 40, 48);
    const ms = BigInt(Date.now() + ahead) + 2_208_988_800_000n;
    const time = (((ms / 1000n) % 2n ** 32n) << 32n) + ((ms % 1000n) * 2n ** 32n) / 1000n;
    answer.writeBigUInt64BE(time, 32);
    answer.writeBigUInt64BE(time, 40);
    // A stray packet comes first, which clients must ignore.
    socket.send(Buffer.alloc(48), from.port, from.address);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    setAhead: (ms) => {
      ahead = ms;
    },
    close: () => socket.close(),
  };
}
