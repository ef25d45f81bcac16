import type { Element } from "ltx";
import type { Bus } from "../../bus/bus";
import type { Limiter } from "../../bus/limiter";
import type { Router } from "../../calls/router";
import type { Party, Signal } from "../../calls/signal";
import { signalBytes } from "../../calls/signal-size";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { newId } from "../../core/random";
import { stanzaError } from "../error";
import { iqShape } from "../iq";
import { formatJid } from "../jid";
import { decodeSignal, encodeSignal } from "../stanza";
import { stanzaSizes } from "../stanza-sizes";
import { readFrame } from "../xml";
import { Copies } from "./copies";
import { Courier } from "./courier";
import { endedNotice, endUserSession } from "./ended";
import { Endings } from "./endings";
import { Link } from "./link";
import { Outbox } from "./outbox";
import { Seen } from "./seen";
import { type Ended, SignIns } from "./sign-ins";

/** Dependencies of the component. */
export interface ComponentServices {
  config: Config;
  log: Log;
  metrics: Metrics;
  bus: Bus;
  /** The limiter that all nodes share. */
  limiter: Limiter;
  /** Calls the listener when a session or user ends. Returns a function to unsubscribe. */
  onEnding(listener: (ended: Ended) => void): () => void;
}

/** This node's external component at a chat server (XEP-0114). */
export interface Component {
  /**
   * Sends a signal to the recipient's devices at the chat server; resolves when the server has received it.
   * @throws Fault UNAVAILABLE if no node reaches the chat server in time
   */
  pass(signal: Signal): Promise<void>;
  /**
   * Records a sign-in at the chat server that this node allowed.
   * @param sessionId null after a sign-in by password
   */
  signedIn(user: Party, sessionId: number | null): void;
  /** Connects to the chat server and sends the signals of its users to the router. */
  start(router: Router): Promise<void>;
  /** Disconnects from the chat server. */
  close(): Promise<void>;
}

/** Domain name of the component. */
export function componentName(config: Pick<Config, "CHAT_COMPONENT" | "CHAT_DOMAIN">): string {
  return config.CHAT_COMPONENT ?? `calls.${config.CHAT_DOMAIN}`;
}

/**
 * Opens the component for the chat server of the configuration (XEP-0114; docs/OPERATIONS.md). The chat
 * server may be away: connecting is retried until it succeeds, and again after a lost connection.
 */
export function openComponent(services: ComponentServices): Component {
  const { config, log, metrics, bus } = services;
  const domain = config.CHAT_DOMAIN;
  const name = componentName(config);
  const node = newId();
  const stanzaBytes = signalBytes(config.XMPP_STANZA_LIMIT);
  const deduplicator = new Seen(services.limiter);
  const connection = new Link(
    { server: config.CHAT_SERVER, name, secret: config.CHAT_SECRET ?? "", stanzaBytes, log },
    {
      up() {
        metrics.chatLink.set(1);
        forwardedMessages.linked();
        writer.opened();
        sender.linked();
      },
      down() {
        metrics.chatLink.set(0);
        writer.lost();
        sender.unlinked();
      },
      stanza: (element) => handleStanza(element),
      unreadable: () => metrics.chatCopies.inc({ outcome: "unreadable" }),
    },
  );
  const writer = new Outbox(connection, name, domain, node);
  const sender = new Courier({
    node,
    bus,
    log,
    outbox: writer,
    seen: deduplicator,
    isUp: () => connection.up,
    onFree: () => connection.attach(),
    onReach: () => terminations.retry(),
  });
  const forwardedMessages = new Copies({
    domain,
    seen: deduplicator,
    sizes: stanzaSizes(config),
    metrics,
    log,
    write: (xml) => connection.up && connection.write(xml),
    hold: (paused) => {
      if (paused) connection.hold();
      else connection.release();
      writer.hold(paused);
    },
  });

  function handleStanza(element: Element): void {
    if (element.name === "iq" && iqShape(element) === "response") {
      // Only a response of the chat server itself proves that it has received something.
      if (element.attrs.from === domain) sender.answered(element.attrs.id ?? "");
      return;
    }
    if (element.name === "message" && forwardedMessages.take(element)) return;
    // Other stanzas of users get an error, except for errors and results (RFC 6120 section 8.3).
    const needsResponse =
      element.name === "iq" ? iqShape(element) === "request" : element.name === "message";
    if (!needsResponse || element.attrs.type === "error") return;
    connection.write(stanzaError(element, element.attrs.from, "service-unavailable"));
  }

  const signIns = new SignIns();
  const addresses = { from: name, to: domain };
  const terminations = new Endings({
    log,
    write: (ended, user) => [
      endedNotice(addresses, ended),
      ...(user ? [endUserSession(addresses, user)] : []),
    ],
    pass: (xml) => sender.passAside(xml),
  });
  const unsubscribe = services.onEnding((ended) => terminations.add(ended, signIns.take(ended)));

  return {
    async start(router) {
      forwardedMessages.router = router;
      await sender.open();
      connection.attach();
    },

    signedIn: (user, sessionId) => signIns.note(user, sessionId),
    async pass(signal) {
      const xml = encodeSignal(signal, domain);
      try {
        await deduplicator.sending(signal, formatJid(signal.to, domain), () =>
          decodeOwn(signal, xml, stanzaBytes),
        );
        await sender.pass(xml);
        metrics.chatPasses.inc({ outcome: "passed" });
      } catch (error) {
        metrics.chatPasses.inc({ outcome: "refused" });
        throw error;
      }
    },
    async close() {
      unsubscribe();
      terminations.close();
      await connection.close();
      await sender.close();
    },
  };
}

/** The signal as decoded from its own stanza, which is how a forwarded copy of it would be decoded. */
function decodeOwn(signal: Signal, xml: string, bytes: number): Signal {
  const element = readFrame(xml, bytes);
  return (element && decodeSignal(element, signal.from, signal.to)) ?? signal;
}
