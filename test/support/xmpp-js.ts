import { client, type XmppClient } from "@xmpp/client";

/**
 * A client of xmpp.js that does not reconnect. The library listens for the answer to what it writes only
 * once that is written, which over TLS on one machine may be too late; here it listens at once.
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
