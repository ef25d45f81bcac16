import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";
import { dnsResolver, type Resolve } from "../../../src/platform/network/lookup";

/** Addresses of a name. */
export interface Records {
  a?: string[];
  aaaa?: string[];
}

/** A local name server (RFC 1035), over UDP. */
export interface NameServer {
  /** Resolves names by this server, with Node's resolver. */
  resolve: Resolve;
  /**
   * Sets the records of a name for successive queries; the last ones stay. Without any, the name does not
   * exist.
   */
  setRecords(name: string, ...answers: Records[]): void;
  /** Names whose IPv4 addresses were queried. */
  queriedNames: string[];
  close(): Promise<void>;
}

const [A, AAAA] = [1, 28];
const NXDOMAIN = 3;

/** Starts a name server. Responses have TTL 0, so they are not cached. */
export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, { a: Records[]; aaaa: Records[] }>();
  const queriedNames: string[] = [];
  const socket = createSocket("udp4");

  const next = (name: string, kind: "a" | "aaaa"): string[] | null => {
    const list = known.get(name)?.[kind];
    if (!list?.[0]) return null;
    const [now] = list.length > 1 ? list.splice(0, 1) : list;
    return now?.[kind] ?? [];
  };
  socket.on("message", (question, from) => {
    const { name, type, end } = readQuestion(question);
    if (type === A) queriedNames.push(name);
    const addresses = type === A || type === AAAA ? next(name, type === A ? "a" : "aaaa") : [];
    const head = Buffer.from(question.subarray(0, 12));
    // A response, authoritative, with the query's recursion flag.
    head.writeUInt16BE(0x8400 | (head.readUInt16BE(2) & 0x0100) | (addresses ? 0 : NXDOMAIN), 2);
    head.writeUInt16BE(addresses?.length ?? 0, 6);
    head.writeUInt32BE(0, 8);
    const records = (addresses ?? []).map((address) => record(type, address));
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    resolve: dnsResolver([`127.0.0.1:${port}`]),
    queriedNames,
    setRecords(name, ...answers) {
      known.set(name, { a: [...answers], aaaa: [...answers] });
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Name, type and end offset of the first question (RFC 1035 section 4.1.2). */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  // c-ares may randomize the case of letters, to detect forged responses.
  const name = labels.join(".").toLowerCase();
  return { name, type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A resource record for the question's name with TTL 0 (RFC 1035 sections 4.1.3 and 4.1.4). */
function record(type: number, address: string): Buffer {
  const data = type === A ? address.split(".").map(Number) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, Buffer.from(data)]);
}

/** The bytes of an IPv6 address, with or without `::`. */
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
