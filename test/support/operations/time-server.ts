import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** An SNTP server (RFC 4330) for a test, with an adjustable clock. */
export interface TimeServer {
  /** host:port */
  address: string;
  /** Sets the offset of its clock from this machine's, in milliseconds; positive if it is ahead. */
  setClockOffset(ms: number): void;
  close(): void;
}

/** Starts a time server with the correct time, on a free port. */
export async function startTimeServer(): Promise<TimeServer> {
  let clockOffset = 0;
  const socket = createSocket("udp4");
  socket.on("message", (request, from) => {
    const answer = Buffer.alloc(48);
    // Version 4, server mode; stratum 2.
    answer[0] = 0b00_100_100;
    answer[1] = 2;
    request.copy(answer, 24, 40, 48);
    const ms = BigInt(Date.now() + clockOffset) + 2_208_988_800_000n;
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
    setClockOffset: (ms) => {
      clockOffset = ms;
    },
    close: () => socket.close(),
  };
}
