import { freePort } from "../../scripts/services/binaries";
import { type ServiceLocation, startService } from "../service";
import { type Account, DOMAIN } from "./job";
import type { Certificate, ComparedServer } from "./server";

/** This service as a single node. Its users sign in with session tokens. */
export function signalbox(
  place: ServiceLocation,
  certificate: Certificate,
  accounts: Account[],
  profile?: string,
): ComparedServer {
  return {
    accounts,
    async start() {
      const websocket = await freePort();
      const tlsPort = await freePort();
      const service = await startService(place, profile, {
        CHAT_DOMAIN: DOMAIN,
        XMPP_WS_PORT: String(websocket),
        XMPP_TLS_PORT: String(tlsPort),
        TLS_CERT_FILE: certificate.certFile,
        TLS_KEY_FILE: certificate.keyFile,
      });
      return {
        ...service,
        websocketUrl: `ws://127.0.0.1:${websocket}`,
        tlsPort,
        graphqlUrl: `${service.baseUrl.replace("http", "ws")}/graphql`,
      };
    },
  };
}
