import type { Element } from "ltx";
import type { Config } from "../../../core/config";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { newId } from "../../../core/random";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { Router } from "../../../domain/calls/router";
import type { Party, Signal } from "../../../domain/calls/signals/signal";
import { maxSignalBytes } from "../../../domain/calls/signals/signal-size";
import type { Bus } from "../../../platform/bus/bus";
import type { Limiter } from "../../../platform/limits/limiter";
import { stanzaError } from "../stanza/error";
import { classifyIq } from "../stanza/iq";
import { formatJid } from "../stanza/jid";
import { encodeSignal } from "../stanza/stanza";
import { stanzaSizes } from "../stanza/stanza-sizes";
import { ClusterSender } from "./cluster-sender";
import { ComponentConnection } from "./component-connection";
import { ConfirmedWriter } from "./confirmed-writer";
import { Deduplicator } from "./deduplicator";
import { ForwardedMessages } from "./forwarded-messages";
import { SignInIndex, type Termination } from "./sign-in-index";
import { TerminationNotifier } from "./termination-notifier";
import { endUserSession, terminationNotice } from "./termination-stanzas";

/** Dependencies of the component. */
export interface ComponentDeps {
  config: Config;
  log: Log;
  metrics: Metrics;
  counters: ApplicationCounters;
  bus: Bus;
  /** The limiter that all nodes share. */
  limiter: Limiter;
  /** Calls the listener when a session or user ends. Returns a function to unsubscribe. */
  onTermination(listener: (ended: Termination) => void): () => void;
}

/** This node's external component at a chat server (XEP-0114). */
export interface Component {
  /**
   * Sends a signal to the recipient's devices at the chat server; resolves when the server has received it.
   * @throws Fault UNAVAILABLE if no node reaches the chat server in time
   */
  send(signal: Signal): Promise<void>;
  /**
   * Records a sign-in at the chat server that this node allowed.
   * @param sessionId null after a sign-in by password
   */
  recordSignIn(user: Party, sessionId: number | null): void;
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
export function openComponent(services: ComponentDeps): Component {
  const { config, log, metrics, counters, bus } = services;
  const domain = config.CHAT_DOMAIN;
  const name = componentName(config);
  const node = newId();
  const stanzaBytes = maxSignalBytes(config.XMPP_STANZA_LIMIT);
  const deduplicator = new Deduplicator(services.limiter);
  const connection = new ComponentConnection(
    { server: config.CHAT_SERVER, name, secret: config.CHAT_SECRET ?? "", stanzaBytes, log },
    {
      up() {
        metrics.chatServerConnected.set(1);
        forwardedMessages.onConnected();
        writer.onConnected();
        sender.onConnected();
      },
      down() {
        metrics.chatServerConnected.set(0);
        writer.onDisconnected();
        sender.onDisconnected();
      },
      stanza: (element) => handleStanza(element),
      invalidStanza: () => metrics.chatServerForwardedMessages.inc({ outcome: "malformed" }),
    },
  );
  const writer = new ConfirmedWriter(connection, name, domain, node);
  const sender = new ClusterSender({
    node,
    bus,
    log,
    writer,
    deduplicator,
    isConnected: () => connection.up,
    onOtherDisconnected: () => connection.connect(),
    onReachable: () => terminations.retry(),
  });
  const forwardedMessages = new ForwardedMessages({
    domain,
    deduplicator,
    sizes: stanzaSizes(config),
    metrics,
    counters,
    log,
    write: (xml) => connection.up && connection.write(xml),
    setPaused: (paused) => {
      if (paused) connection.pauseReading();
      else connection.resumeReading();
      writer.setPaused(paused);
    },
  });

  function handleStanza(element: Element): void {
    if (element.name === "iq" && classifyIq(element) === "response") {
      // Only a response of the chat server itself proves that it has received something.
      if (element.attrs.from === domain) sender.handleResponse(element.attrs.id ?? "");
      return;
    }
    if (element.name === "message" && forwardedMessages.handle(element)) return;
    // Other stanzas of users get an error, except for errors and results (RFC 6120 section 8.3).
    const needsResponse =
      element.name === "iq" ? classifyIq(element) === "request" : element.name === "message";
    if (!needsResponse || element.attrs.type === "error") return;
    connection.write(stanzaError(element, element.attrs.from, "service-unavailable"));
  }

  const signIns = new SignInIndex();
  const addresses = { from: name, to: domain };
  const terminations = new TerminationNotifier({
    log,
    toStanzas: (ended, user) => [
      terminationNotice(addresses, ended),
      ...(user ? [endUserSession(addresses, user)] : []),
    ],
    send: (xml) => sender.sendUncounted(xml),
  });
  const unsubscribe = services.onTermination((ended) =>
    terminations.notify(ended, signIns.remove(ended)),
  );

  return {
    async start(router) {
      forwardedMessages.router = router;
      await sender.open();
      connection.connect();
    },

    recordSignIn: (user, sessionId) => signIns.record(user, sessionId),
    async send(signal) {
      const xml = encodeSignal(signal, domain);
      try {
        await deduplicator.recordSent(signal, formatJid(signal.to, domain));
        await sender.sendSignal(xml);
        metrics.chatServerSignalsSent.inc({ outcome: "delivered" });
      } catch (error) {
        metrics.chatServerSignalsSent.inc({ outcome: "failed" });
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
