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

/** What the attachment to a chat server stands on. */
export interface ComponentServices {
  config: Config;
  log: Log;
  metrics: Metrics;
  bus: Bus;
  /** Counts for all nodes together. */
  limiter: Limiter;
  /** Calls the listener with every session and user that ends; answers how to stop. */
  onEnding(listener: (ended: Ended) => void): () => void;
}

/** The attachment of this node to a chat server. */
export interface Component {
  /**
   * Brings a signal to the recipient's devices at the chat server; resolves once it was taken there.
   * @throws Fault UNAVAILABLE when no node reaches the chat server in time
   */
  pass(signal: Signal): Promise<void>;
  /** Notes that this node let somebody in at the chat server, by a session's token or a password (null). */
  signedIn(user: Party, sessionId: number | null): void;
  /** Attaches, and hands what comes from the chat server to the router. */
  start(router: Router): Promise<void>;
  /** Detaches from the chat server. */
  close(): Promise<void>;
}

/** Name of the component at the chat server. */
export function componentName(config: Pick<Config, "CHAT_COMPONENT" | "CHAT_DOMAIN">): string {
  return config.CHAT_COMPONENT ?? `calls.${config.CHAT_DOMAIN}`;
}

/**
 * Opens the attachment to the chat server that the configuration names (XEP-0114; docs/OPERATIONS.md).
 * The chat server need not be there: attaching is tried until it succeeds, and again whenever the link
 * is lost.
 */
export function openComponent(services: ComponentServices): Component {
  const { config, log, metrics, bus } = services;
  const domain = config.CHAT_DOMAIN;
  const name = componentName(config);
  const node = newId();
  const longest = signalBytes(config.XMPP_STANZA_LIMIT);
  const seen = new Seen(services.limiter);
  const link = new Link(
    {
      ...{ server: config.CHAT_SERVER, name, log },
      secret: config.CHAT_SECRET ?? "",
      stanzaBytes: longest,
    },
    {
      up() {
        metrics.chatLink.set(1);
        copies.linked();
        outbox.opened();
        courier.linked();
      },
      down() {
        metrics.chatLink.set(0);
        outbox.lost();
        courier.unlinked();
      },
      stanza: (element) => take(element),
      unreadable: () => metrics.chatCopies.inc({ outcome: "unreadable" }),
    },
  );
  const outbox = new Outbox(link, name, domain, node);
  const courier = new Courier({
    ...{ node, bus, log, outbox, seen },
    isUp: () => link.up,
    onFree: () => link.attach(),
    onReach: () => endings.retry(),
  });
  const copies = new Copies({
    ...{ domain, seen, metrics, log, sizes: stanzaSizes(config) },
    write: (xml) => link.up && link.write(xml),
    hold: (held) => {
      if (held) link.hold();
      else link.release();
      outbox.hold(held);
    },
  });

  function take(element: Element): void {
    if (element.name === "iq" && iqShape(element) === "response") {
      // Only the chat server itself says what it has taken.
      if (element.attrs.from === domain) courier.answered(element.attrs.id ?? "");
      return;
    }
    if (element.name === "message" && copies.take(element)) return;
    // What users send to the component is answered, errors and answers excepted (RFC 6120 section 8.3).
    const asks =
      element.name === "iq" ? iqShape(element) === "request" : element.name === "message";
    if (!asks || element.attrs.type === "error") return;
    link.write(stanzaError(element, element.attrs.from, "service-unavailable"));
  }

  const signIns = new SignIns();
  const addresses = { from: name, to: domain };
  const endings = new Endings({
    log,
    write: (ended, user) => [
      endedNotice(addresses, ended),
      ...(user ? [endUserSession(addresses, user)] : []),
    ],
    pass: (xml) => courier.passAside(xml),
  });
  const stop = services.onEnding((ended) => endings.add(ended, signIns.take(ended)));

  return {
    async start(router) {
      copies.router = router;
      await courier.open();
      link.attach();
    },

    signedIn: (user, sessionId) => signIns.note(user, sessionId),
    async pass(signal) {
      const xml = encodeSignal(signal, domain);
      try {
        await seen.sending(signal, formatJid(signal.to, domain), () =>
          reread(signal, xml, longest),
        );
        await courier.pass(xml);
        metrics.chatPasses.inc({ outcome: "passed" });
      } catch (error) {
        metrics.chatPasses.inc({ outcome: "refused" });
        throw error;
      }
    },
    async close() {
      stop();
      endings.close();
      await link.close();
      await courier.close();
    },
  };
}

/** A signal as it would be read from a copy of what was written. */
function reread(signal: Signal, xml: string, bytes: number): Signal {
  const element = readFrame(xml, bytes);
  return (element && decodeSignal(element, signal.from, signal.to)) ?? signal;
}
