import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Asks the name servers, and not the system's own resolver: that has two threads for the whole
 * process, which a device's slow name would hold for everybody.
 * @param servers addresses with ports; those of the system by default
 */
export function askNameServers(servers?: string[]): Resolve {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = [
      ...(four.status === "fulfilled" ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === "fulfilled" ? six.value : []).map((address) => ({ address, family: 6 })),
    ];
    if (addresses.length === 0) {
      throw four.status === "rejected" ? four.reason : new Error("ENODATA");
    }
    return addresses;
  };
}

/** Code of the error of a connection that would lead into a private network. */
export const PRIVATE_NETWORK = "ERR_PRIVATE_NETWORK";

/** The error of a connection that would lead into a private network. */
export const privateNetwork = (): NodeJS.ErrnoException =>
  Object.assign(new Error("private network"), { code: PRIVATE_NETWORK });

/**
 * A look-up for connections that must stay outside: it fails where a name has any private address.
 * What it answers is what is connected to, so that a name which changes its address gains nothing. Node
 * asks it for names alone, and not for a host that is an address.
 */
export function guardLookup(
  resolve: Resolve,
  isPrivate: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isPrivate(address))) {
          callback(privateNetwork(), "", 0);
        } else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}
