import { createSocket } from "node:dgram";
import { systemClock } from "../../../core/clock";

const PORT = 123;
const PACKET_BYTES = 48;
/** No leap warning, version 4, client (RFC 4330 section 4). */
const REQUEST = 0b00_100_011;
const SERVER_MODE = 4;
/** Seconds between the NTP epoch (1900) and the Unix epoch (1970). */
const EPOCH_S = 2_208_988_800;
const ERA_S = 2 ** 32;
/** Byte offsets of the timestamps in a packet. */
const ORIGINATE = 24;
const RECEIVE = 32;
const TRANSMIT = 40;

/**
 * Asks a time server by SNTP (RFC 4330).
 * @param server a host, or host:port
 * @returns how far its clock is ahead of this machine's, in milliseconds
 * @throws Error if the name cannot be resolved or no valid answer arrives in time
 */
export function askTimeServer(server: string, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(`ntp://${server}`);
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    const end = (act: () => void) => {
      clearTimeout(timer);
      socket.close();
      act();
    };
    const timer = setTimeout(() => end(() => reject(new Error("no answer in time"))), timeoutMs);
    const request = Buffer.alloc(PACKET_BYTES);
    request[0] = REQUEST;
    socket.once("error", (error) => end(() => reject(error)));
    socket.on("message", (answer) => {
      const received = systemClock.now();
      // Ignore packets that do not answer this request.
      if (!isAnswer(answer, request)) return;
      const sent = timeAt(request, TRANSMIT);
      const ahead = (timeAt(answer, RECEIVE) - sent + timeAt(answer, TRANSMIT) - received) / 2;
      end(() => resolve(ahead));
    });
    writeTime(request, TRANSMIT, systemClock.now());
    socket.send(request, port === "" ? PORT : Number(port), host);
  });
}

/** Whether the packet comes from a synchronized server and answers the request (RFC 4330 section 5). */
function isAnswer(answer: Buffer, request: Buffer): boolean {
  if (answer.length < PACKET_BYTES) return false;
  const mode = answer.readUInt8(0) & 0b111;
  const stratum = answer.readUInt8(1);
  const echoed = answer.subarray(ORIGINATE, ORIGINATE + 8);
  const own = request.subarray(TRANSMIT, TRANSMIT + 8);
  return mode === SERVER_MODE && stratum > 0 && stratum < 16 && echoed.equals(own);
}

/** Milliseconds since 1970. RFC 4330 section 3 defines how to detect the second era, which starts in 2036. */
function timeAt(packet: Buffer, offset: number): number {
  const seconds = packet.readUInt32BE(offset);
  const era = seconds < ERA_S / 2 ? ERA_S : 0;
  return (seconds + era - EPOCH_S + packet.readUInt32BE(offset + 4) / ERA_S) * 1000;
}

function writeTime(packet: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  packet.writeUInt32BE((seconds + EPOCH_S) % ERA_S, offset);
  packet.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * ERA_S), offset + 4);
}
