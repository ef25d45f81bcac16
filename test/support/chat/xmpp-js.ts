import { client, type XmppClient } from "@xmpp/client";

/**
 * A client of xmpp.js that does not reconnect. The library waits for a write to complete before it listens
 * for the response, which may be too late over TLS on one machine. This client listens immediately.
 */
export function xmppJsClient(options: Parameters<typeof client>[0]): XmppClient {
  const xmpp = client(options);
  xmpp.reconnect.stop();
  const write = xmpp.write.bind(xmpp);
  xmpp.write = async (text) => {
    write(text).catch(() => undefined);
  };
  return xmpp;
}
