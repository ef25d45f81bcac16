import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { packageVersion } from "./package-root";

/** Prometheus metrics of the service. Labels never contain user data. */
export interface Metrics {
  registry: Registry;
  /**
   * Operations by protocol (`graphql`, `websocket`, `rest`), operation and code (`OK` or a key of `ERRORS`).
   */
  operations: Counter<"protocol" | "operation" | "code">;
  /** Duration of operations in seconds, by protocol. */
  operationSeconds: Histogram<"protocol">;
  /** Signals that the router accepted, by protocol and type. */
  signals: Counter<"protocol" | "type">;
  /** Signals delivered to devices, by protocol. */
  deliveries: Counter<"protocol">;
  /**
   * Signals recorded in the call history, by outcome: `written`, `unknown` (no such call is recorded),
   * `lost`. `pushed` counts users who got an incoming-call push.
   */
  callRecords: Counter<"outcome">;
  /** Attempts to send a push notification, by service (`apns`, `fcm`, `web`) and outcome. */
  pushDeliveries: Counter<"service" | "outcome">;
  /** Response time of push services in seconds, by service. */
  pushSeconds: Histogram<"service">;
  /** Connections and requests rejected under overload, by class: `anonymous`, `request`. */
  shed: Counter<"arrival">;
  /** Fill level of all signal inboxes together, from 0 to 1, at the last signal of this node. */
  inboxFullness: Gauge;
  /** Open sockets by kind (`graphql`, `xmpp`). */
  sockets: Gauge<"kind">;
  /** Disconnected chat streams that can be resumed. */
  resumableStreams: Gauge;
  /** 1 while this node is connected to the chat server, with CHAT_MODE=component. */
  chatServerConnected: Gauge;
  /** Signals sent to the chat server, by outcome: `passed`, or `refused` if it cannot be reached. */
  chatServerSends: Counter<"outcome">;
  /**
   * Stanzas that the chat server forwarded to this node, by outcome: `taken`, `double` (duplicate), `other`
   * (not a call signal of a user), `refused` (answered with an error), `unreadable`.
   */
  forwardedStanzas: Counter<"outcome">;
  /**
   * Requests of the chat server to POST /chat/sign-in, by outcome: `allowed`, `refused`, `unavailable` (rate
   * limited or temporarily impossible), `malformed`, and `without secret`, which never come from a chat
   * server.
   */
  chatSignIns: Counter<"outcome">;
}

/** Creates the metrics and the registry of one node. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: "signalbox_build_info",
    help: "Always 1; the label is the running version",
    labelNames: ["version"],
    registers,
  }).set({ version: packageVersion() }, 1);
  return {
    registry,
    operations: new Counter({
      name: "signalbox_operations_total",
      help: "GraphQL operations run, over any protocol",
      labelNames: ["protocol", "operation", "code"],
      registers,
    }),
    operationSeconds: new Histogram({
      name: "signalbox_operation_seconds",
      help: "Duration of operations",
      labelNames: ["protocol"],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
      registers,
    }),
    signals: new Counter({
      name: "signalbox_signals_total",
      help: "Call signals accepted",
      labelNames: ["protocol", "type"],
      registers,
    }),
    deliveries: new Counter({
      name: "signalbox_signal_deliveries_total",
      help: "Call signals delivered to devices",
      labelNames: ["protocol"],
      registers,
    }),
    callRecords: new Counter({
      name: "signalbox_call_records_total",
      help: "Signals recorded in the call history, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    pushDeliveries: new Counter({
      name: "signalbox_push_deliveries_total",
      help: "Attempts to send a push notification",
      labelNames: ["service", "outcome"],
      registers,
    }),
    pushSeconds: new Histogram({
      name: "signalbox_push_seconds",
      help: "Response time of push services",
      labelNames: ["service"],
      buckets: [0.01, 0.05, 0.2, 1, 5],
      registers,
    }),
    shed: new Counter({
      name: "signalbox_shed_total",
      help: "Connections and requests rejected under overload: unauthenticated (anonymous) or with a token (request)",
      labelNames: ["arrival"],
      registers,
    }),
    inboxFullness: new Gauge({
      name: "signalbox_inbox_fullness",
      help: "Fraction of INBOXES_BYTES that all inboxes use, from 0 to 1, at the last signal of this node",
      registers,
    }),
    sockets: new Gauge({
      name: "signalbox_sockets",
      help: "Open sockets",
      labelNames: ["kind"],
      registers,
    }),
    resumableStreams: new Gauge({
      name: "signalbox_hibernating_streams",
      help: "Disconnected chat streams that can be resumed",
      registers,
    }),
    chatServerConnected: new Gauge({
      name: "signalbox_chat_link",
      help: "Whether this node is connected to the chat server",
      registers,
    }),
    chatServerSends: new Counter({
      name: "signalbox_chat_passes_total",
      help: "Call signals sent to the chat server",
      labelNames: ["outcome"],
      registers,
    }),
    forwardedStanzas: new Counter({
      name: "signalbox_chat_copies_total",
      help: "Stanzas that the chat server forwarded to this node",
      labelNames: ["outcome"],
      registers,
    }),
    chatSignIns: new Counter({
      name: "signalbox_chat_sign_ins_total",
      help: "Requests to POST /chat/sign-in",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
