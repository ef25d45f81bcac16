import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IPv4 that is no public unicast (RFC 6890 and IANA's special-purpose registry). */
const V4: Array<[network: string, bits: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local, and the metadata of most clouds.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Azure's own services, at a public address that leads nowhere else.
  ["168.63.129.16", 32],
];

/** Within 2000::/3, the only public unicast of IPv6: protocols and tunnels, documentation, 6to4. */
const V6: Array<[network: string, bits: number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const publicV6 = new BlockList();
publicV6.addSubnet("2000::", 3, "ipv6");
// NAT64 (RFC 6052): an IPv4 address behind a prefix, as good as that address.
publicV6.addSubnet("64:ff9b::", 96, "ipv6");

const forbidden = new BlockList();
for (const [network, bits] of V4) {
  forbidden.addSubnet(network, bits, "ipv4");
  forbidden.addSubnet(`64:ff9b::${network}`, 96 + bits, "ipv6");
}
for (const [network, bits] of V6) forbidden.addSubnet(network, bits, "ipv6");

/** Whether an address is anything else than public unicast; what is no address counts as private. */
export function isPrivateAddress(text: string): boolean {
  const [address = ""] = text.split("%");
  const family = isIP(address);
  if (family === 4) return forbidden.check(address, "ipv4");
  return family !== 6 || !publicV6.check(address, "ipv6") || forbidden.check(address, "ipv6");
}

/** Code of the error of a look-up that leads into a private network. */
export const PRIVATE_NETWORK = "ERR_PRIVATE_NETWORK";

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Asks the name servers, and not the system's own resolver: that has two threads for the whole
 * process, which a device's slow name would hold for everybody.
 */
export const askNameServers: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses = [
    ...(four.status === "fulfilled" ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === "fulfilled" ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (addresses.length === 0) throw four.status === "rejected" ? four.reason : new Error("ENODATA");
  return addresses;
};

/**
 * A look-up for connections that must stay outside: it fails where a name has any private address.
 * What it answers is what is connected to, so that a name which changes its address gains nothing.
 */
export function guardLookup(resolve: Resolve = askNameServers): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isPrivateAddress(address))) {
          const error = Object.assign(new Error("private network"), { code: PRIVATE_NETWORK });
          callback(error, "", 0);
        } else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

/**
 * What is wrong with the address that a server is to be asked at, as far as its text tells: scheme,
 * user names, and private networks where the address or the name is one.
 * @param allowPrivate whether private networks, and http: with them, are allowed
 * @returns null, or how it goes on after "it …"
 */
export function checkAddress(text: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSecure = url?.protocol === "https:" || (allowPrivate && url?.protocol === "http:");
  if (!url || !isSecure) return "must be a URL that begins with https://";
  const { username, password, hostname } = url;
  if (username !== "" || password !== "") return "must be a URL without a user name";
  if (allowPrivate) return null;
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const local = host === "localhost" || host.endsWith(".localhost");
  if (local || (isIP(host) !== 0 && isPrivateAddress(host))) {
    return "must not lead into a private network";
  }
  return null;
}
