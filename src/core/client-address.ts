import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** Whether nobody beyond this machine can reach what listens on the host. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || address === "localhost";
}

/** An IPv4 address that came as `::ffff:` IPv6, as IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/**
 * Whether an address is one of these.
 * @param networks addresses and networks (`10.0.0.0/8`)
 * @throws RangeError or TypeError for an entry that is no address
 */
export function isWithin(networks: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of networks) {
    const [address = "", bits] = entry.split("/");
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, family(address));
}

/**
 * How the address of a client is found: that of the connection, or, from a trusted proxy, the last
 * one of X-Forwarded-For that is no trusted proxy itself.
 * @param trusted addresses and networks (`10.0.0.0/8`)
 * @throws RangeError or TypeError for an entry that is no address
 */
export function clientAddress(trusted: string[]): (request: IncomingMessage) => string {
  const isProxy = isWithin(trusted);
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? "");
    const header = request.headers["x-forwarded-for"];
    const forwarded = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
    while (isProxy(address)) {
      const next = plainAddress(forwarded.pop()?.trim() ?? "");
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/**
 * The address as limits count it: an IPv6 host has a whole network of 64 bits to itself, so it is the
 * first half of one; whoever has none is counted together.
 */
export function networkOf(address: string): string {
  const text = plainAddress(address.split("%", 1)[0] ?? "");
  if (isIP(text) !== 6) return text || "unknown";
  const [head = "", tail] = text.toLowerCase().split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail !== undefined) {
    // An IPv4 address at the end stands for two groups.
    const after = tail.split(":").filter(Boolean);
    const count = after.length + (tail.includes(".") ? 1 : 0);
    groups.push(...Array<string>(8 - groups.length - count).fill("0"), ...after);
  }
  const half = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${half.join(":")}::/64`;
}
