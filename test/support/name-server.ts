import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";
import { askNameServers, type Resolve } from "../../src/network/lookup";

/** Addresses that a name has at one time. */
export interface Records {
  a?: string[];
  aaaa?: string[];
}

/** A name server of a test's own (RFC 1035), over UDP on the loopback address. */
export interface NameServer {
  /** Looks names up there, by Node's own resolver. */
  resolve: Resolve;
  /** What a name has now, and at each later question; the last goes on. Without any it is unknown. */
  tell(name: string, ...answers: Records[]): void;
  /** Names that were asked for the IPv4 addresses of. */
  asked: string[];
  close(): Promise<void>;
}

const [A, AAAA] = [1, 28];
const NXDOMAIN = 3;

/** Starts a name server. No answer may be kept: each has a time to live of nothing. */
export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, { a: Records[]; aaaa: Records[] }>();
  const asked: string[] = [];
  const socket = createSocket("udp4");

  const next = (name: string, kind: "a" | "aaaa"): string[] | null => {
    const list = known.get(name)?.[kind];
    if (!list?.[0]) return null;
    const [now] = list.length > 1 ? list.splice(0, 1) : list;
    return now?.[kind] ?? [];
  };
  socket.on("message", (question, from) => {
    const { name, type, end } = readQuestion(question);
    if (type === A) asked.push(name);
    const addresses = type === A || type === AAAA ? next(name, type === A ? "a" : "aaaa") : [];
    const head = Buffer.from(question.subarray(0, 12));
    // An answer, by an authority; recursion as asked for.
    head.writeUInt16BE(0x8400 | (head.readUInt16BE(2) & 0x0100) | (addresses ? 0 : NXDOMAIN), 2);
    head.writeUInt16BE(addresses?.length ?? 0, 6);
    head.writeUInt32BE(0, 8);
    const records = (addresses ?? []).map((address) => record(type, address));
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    resolve: askNameServers([`127.0.0.1:${port}`]),
    asked,
    tell(name, ...answers) {
      known.set(name, { a: [...answers], aaaa: [...answers] });
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The name and the type of the first question, and where it ends (section 4.1.2). */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  // c-ares may write letters in either case, to tell forged answers from true ones.
  const name = labels.join(".").toLowerCase();
  return { name, type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record of the name in the question (sections 4.1.3 and 4.1.4), which lives for no time. */
function record(type: number, address: string): Buffer {
  const data = type === A ? address.split(".").map(Number) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, Buffer.from(data)]);
}

/** The bytes of an address of IPv6 that is written with `::` or in full. */
function ipv6Bytes(address: string): number[] {
  const [before = "", after] = address.split("::");
  const groups = (text: string) => text.split(":").filter(Boolean);
  const [head, tail] = [groups(before), groups(after ?? "")];
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill("0"), ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}
