import type { IncomingMessage, Server } from "node:http";
import { isWithin, unmapIpv4 } from "../../core/client-address";
import type { Log } from "../../core/log";
import { isPrivateAddress } from "../../platform/network/private-address";

/** The warning, which a client can cause once or twice in the life of a process. */
export const UNTRUSTED_PROXY_WARNING =
  "a request came through a proxy that TRUST_PROXY does not name: the limits count the proxy's address for all of its clients. Add the address of the proxy to TRUST_PROXY";

/**
 * Notices a proxy that TRUST_PROXY does not name: the limits then count its address for all of its clients. It is known
 * by the first request with X-Forwarded-For or Forwarded (RFC 7239) from another address. A client can write these
 * headers, too, so a later address in a private network, where proxies are, replaces a public one.
 */
export class UntrustedProxy {
  /** The peer address of such a request; null without one. */
  address: string | null = null;
  private readonly isTrusted: (address: string) => boolean;

  /** @param trusted addresses and networks of TRUST_PROXY */
  constructor(
    trusted: string[],
    private readonly log: Log,
  ) {
    this.isTrusted = isWithin(trusted);
  }

  /** Looks at the requests of a server, WebSocket upgrades included. */
  watch(server: Server): void {
    server.on("request", this.note).on("upgrade", this.note);
  }

  private readonly note = ({ headers, socket }: IncomingMessage): void => {
    if (headers["x-forwarded-for"] === undefined && headers.forwarded === undefined) return;
    const peer = unmapIpv4(socket.remoteAddress ?? "");
    if (peer === "" || this.isTrusted(peer)) return;
    if (this.address !== null && (isPrivateAddress(this.address) || !isPrivateAddress(peer)))
      return;
    this.address = peer;
    this.log.warn({ peer }, UNTRUSTED_PROXY_WARNING);
  };
}
