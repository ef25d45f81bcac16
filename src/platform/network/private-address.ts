import { isIP } from "node:net";
import { IPv4, IPv6, parse } from "ipaddr.js";

/** Public unicast of IPv6 (RFC 4291 section 2.4; IANA "IPv6 Global Unicast Address Assignments"). */
const GLOBAL_UNICAST = IPv6.parseCIDR("2000::/3");

/** The well-known prefix of NAT64 (RFC 6052), which embeds an IPv4 address. */
const NAT64 = IPv6.parseCIDR("64:ff9b::/96");

/** Azure's platform services: a public address that is only reachable from inside of Azure. */
const AZURE = "168.63.129.16";

/**
 * Whether an address is anything other than public unicast: loopback, private, link-local (which includes
 * cloud metadata services), shared (CGNAT), multicast, unique local, a tunnel (6to4, Teredo), IPv4-mapped
 * IPv6, documentation, reserved. Text that is not an address counts as private.
 */
export function isPrivateAddress(text: string): boolean {
  const [address = ""] = text.split("%");
  // Node's strict parser first: it accepts no octal, hexadecimal or short forms.
  if (isIP(address) === 0) return true;
  const parsed = parse(address);
  if (parsed instanceof IPv4) return isPrivateV4(parsed);
  if (parsed.match(NAT64)) return isPrivateV4(new IPv4(parsed.toByteArray().slice(12)));
  return !parsed.match(GLOBAL_UNICAST) || parsed.range() !== "unicast";
}

const isPrivateV4 = (address: IPv4): boolean =>
  address.range() !== "unicast" || address.toString() === AZURE;
