import { isIP } from "node:net";
import { IPv4, IPv6, parse } from "ipaddr.js";

/** The only public unicast of IPv6 (RFC 4291 section 2.4; IANA "IPv6 Global Unicast Address Assignments"). */
const GLOBAL_UNICAST = IPv6.parseCIDR("2000::/3");

/** NAT64's well-known prefix (RFC 6052): an IPv4 address behind it is as good as that address. */
const NAT64 = IPv6.parseCIDR("64:ff9b::/96");

/** Azure's own services, at a public address that leads nowhere else. */
const AZURE = "168.63.129.16";

/**
 * Whether an address is anything else than public unicast: loopback, private, link-local with the
 * metadata of clouds, shared (CGNAT), multicast, unique local, a tunnel (6to4, Teredo), an IPv4 address
 * mapped into IPv6, documentation, reserved. What is no address counts as private.
 */
export function isPrivateAddress(text: string): boolean {
  const [address = ""] = text.split("%");
  // Node's own reading first: it takes no octal, hexadecimal or short forms.
  if (isIP(address) === 0) return true;
  const parsed = parse(address);
  if (parsed instanceof IPv4) return isPrivateV4(parsed);
  if (parsed.match(NAT64)) return isPrivateV4(new IPv4(parsed.toByteArray().slice(12)));
  return !parsed.match(GLOBAL_UNICAST) || parsed.range() !== "unicast";
}

const isPrivateV4 = (address: IPv4): boolean =>
  address.range() !== "unicast" || address.toString() === AZURE;
