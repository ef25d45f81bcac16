import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Makes a resolver that queries DNS servers directly. The system resolver has only two threads for the
 * whole process, which a slow name from one client would block for all others.
 * @param servers addresses with ports; the servers of the system by default
 */
export function dnsResolver(servers?: string[]): Resolve {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = [
      ...(ipv4.status === "fulfilled" ? ipv4.value : []).map((address) => ({ address, family: 4 })),
      ...(ipv6.status === "fulfilled" ? ipv6.value : []).map((address) => ({ address, family: 6 })),
    ];
    if (addresses.length === 0) {
      throw ipv4.status === "rejected" ? ipv4.reason : new Error("ENODATA");
    }
    return addresses;
  };
}

/** Error code of a connection to a private network. */
export const PRIVATE_NETWORK_CODE = "ERR_PRIVATE_NETWORK";

/** The error of a connection to a private network. */
export const privateNetworkError = (): NodeJS.ErrnoException =>
  Object.assign(new Error("private network"), { code: PRIVATE_NETWORK_CODE });

/**
 * Makes a look-up function that fails if a name has any private address. The socket connects to the address
 * that was checked, so DNS rebinding gains nothing. Node does not call it for a host that is an IP address.
 */
export function guardedLookup(
  resolve: Resolve,
  isPrivate: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isPrivate(address))) {
          callback(privateNetworkError(), "", 0);
        } else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}
