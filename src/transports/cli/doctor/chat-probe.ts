import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Config } from "../../../core/config";

/** Probes local ports for a chat endpoint. Certificates are not verified here. */

const TIMEOUT_MS = 3_000;
/** Maximum length of a response that is read. */
const RESPONSE_MAX = 4_096;

/** What the 426 response of each WebSocket endpoint of Signalbox contains. */
const WEBSOCKET_TEXTS = { xmpp: "RFC 7395", janus: "Janus protocol" };

/** Whether an `http:` or `https:` URL is a WebSocket endpoint of Signalbox, by its 426 response. */
export function servesWebSocket(
  url: string,
  protocol: keyof typeof WEBSOCKET_TEXTS,
): Promise<boolean> {
  return new Promise((resolve) => {
    const get = url.startsWith("https:") ? httpsGet : httpGet;
    const options = { timeout: TIMEOUT_MS, rejectUnauthorized: false };
    const request = get(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > RESPONSE_MAX) request.destroy();
      });
      response.on("close", () => {
        resolve(response.statusCode === 426 && text.includes(WEBSOCKET_TEXTS[protocol]));
      });
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

/**
 * Whether a port serves XMPP streams of the chat domain (RFC 6120 section 4.2).
 * @param tls whether the port uses direct TLS
 */
export function servesXmppStreams(config: Config, port: number, tls: boolean): Promise<boolean> {
  const { HOST, CHAT_DOMAIN } = config;
  const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
  const header = `<?xml version="1.0"?><stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" to="${CHAT_DOMAIN}" version="1.0">`;
  return new Promise((resolve) => {
    const socket = tls
      ? connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ["xmpp-client"] })
      : connectTcp({ host, port });
    let text = "";
    const end = () => {
      resolve(/<stream:stream /.test(text) && text.includes(` from="${CHAT_DOMAIN}"`));
      socket.destroy();
    };
    socket.setEncoding("utf8");
    socket.setTimeout(TIMEOUT_MS, end);
    socket.on(tls ? "secureConnect" : "connect", () => socket.end(`${header}</stream:stream>`));
    socket.on("data", (part: string) => {
      text += part;
      if (text.includes(">", text.indexOf("<stream:stream ")) || text.length > RESPONSE_MAX) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}
