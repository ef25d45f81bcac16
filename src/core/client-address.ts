import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** Whether a server on this host can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || address === "localhost";
}

/** Turns an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) into IPv4; returns any other address unchanged. */
export function unmapIpv4(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/**
 * Makes a function that checks whether an address is within the given networks.
 * @param networks addresses and networks (`10.0.0.0/8`)
 * @throws RangeError or TypeError for an entry that is not an address
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
 * Makes a function that finds the address of a client: the peer address of the connection or, behind trusted
 * proxies, the last address in X-Forwarded-For that is not a trusted proxy.
 * @param trusted addresses and networks (`10.0.0.0/8`)
 * @throws RangeError or TypeError for an entry that is not an address
 */
export function clientAddress(trusted: string[]): (request: IncomingMessage) => string {
  const isProxy = isWithin(trusted);
  return (request) => {
    let address = unmapIpv4(request.socket.remoteAddress ?? "");
    const header = request.headers["x-forwarded-for"];
    const forwarded = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
    while (isProxy(address)) {
      const next = unmapIpv4(forwarded.pop()?.trim() ?? "");
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/**
 * The key under which rate limits count an address: the address itself for IPv4, its /64 network for IPv6,
 * since one host usually controls a whole /64, and "unknown" for a missing address.
 */
export function networkOf(address: string): string {
  const text = unmapIpv4(address.split("%", 1)[0] ?? "");
  if (isIP(text) !== 6) return text || "unknown";
  const [head = "", tail] = text.toLowerCase().split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail !== undefined) {
    // A trailing IPv4 address takes the place of two groups.
    const after = tail.split(":").filter(Boolean);
    const count = after.length + (tail.includes(".") ? 1 : 0);
    groups.push(...Array<string>(8 - groups.length - count).fill("0"), ...after);
  }
  const half = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${half.join(":")}::/64`;
}
