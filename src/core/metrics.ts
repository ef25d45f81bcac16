import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { packageVersion } from "./package-root";

/** What the service counts, in the form that Prometheus reads. Labels never hold a user's data. */
export interface Metrics {
  registry: Registry;
  /** Operations by door (`graphql`, `websocket`, `rest`), operation and outcome code (`OK` or a code of the errors table). */
  operations: Counter<"door" | "operation" | "code">;
  /** Seconds an operation took, by door. */
  operationSeconds: Histogram<"door">;
  /** Signals accepted by the router, by the door they came through and their type. */
  signals: Counter<"door" | "type">;
  /** Signals handed to a device, by door. */
  deliveries: Counter<"door">;
  /**
   * What became of what signals say about calls: `written`, `unknown` (about no call that is recorded),
   * `lost`; and `woken` users.
   */
  callRecords: Counter<"outcome">;
  /** Attempts to send a notification, by service (`apns`, `fcm`, `web`) and outcome. */
  pushDeliveries: Counter<"service" | "outcome">;
  /** Seconds that the service took to answer, by service. */
  pushSeconds: Histogram<"service">;
  /** Arrivals refused while the node was overloaded: `anonymous`, `request`. */
  shed: Counter<"arrival">;
  /** How full all inboxes of signals are together, from 0 to 1, as this node was last told. */
  inboxFullness: Gauge;
  /** Open sockets by kind (`graphql`, `xmpp`). */
  sockets: Gauge<"kind">;
  /** Chat streams without a connection that can be resumed. */
  hibernating: Gauge;
  /** 1 while this node is attached to the chat server, with CHAT_MODE=component. */
  chatLink: Gauge;
  /** Signals for the chat server by outcome: `passed`, or `refused` since it could not be reached. */
  chatPasses: Counter<"outcome">;
  /**
   * What the chat server copied here by outcome: `taken`, `double`, `other` (no call signal of a
   * user), `refused` (answered with an error), `unreadable`.
   */
  chatCopies: Counter<"outcome">;
  /**
   * What a chat server asked about sign-ins by outcome: `allowed`, `refused`, `unavailable` (limited, or
   * not to be judged now), `malformed`, and `without secret`, which no chat server asks.
   */
  chatSignIns: Counter<"outcome">;
}

/** Makes the registry of one node. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: "signalbox_build_info",
    help: "1; the label says which version runs",
    labelNames: ["version"],
    registers,
  }).set({ version: packageVersion() }, 1);
  return {
    registry,
    operations: new Counter({
      name: "signalbox_operations_total",
      help: "GraphQL operations run, through any door",
      labelNames: ["door", "operation", "code"],
      registers,
    }),
    operationSeconds: new Histogram({
      name: "signalbox_operation_seconds",
      help: "Time an operation took",
      labelNames: ["door"],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
      registers,
    }),
    signals: new Counter({
      name: "signalbox_signals_total",
      help: "Call signals accepted",
      labelNames: ["door", "type"],
      registers,
    }),
    deliveries: new Counter({
      name: "signalbox_signal_deliveries_total",
      help: "Call signals handed to a device",
      labelNames: ["door"],
      registers,
    }),
    callRecords: new Counter({
      name: "signalbox_call_records_total",
      help: "Signals recorded of calls, by what became of the record",
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
      help: "Time a push service took to answer",
      labelNames: ["service"],
      buckets: [0.01, 0.05, 0.2, 1, 5],
      registers,
    }),
    shed: new Counter({
      name: "signalbox_shed_total",
      help: "Connections without a sign-in and requests without a token (anonymous), and requests with one, refused under overload",
      labelNames: ["arrival"],
      registers,
    }),
    inboxFullness: new Gauge({
      name: "signalbox_inbox_fullness",
      help: "How much of INBOXES_BYTES all inboxes hold, from 0 to 1, at the last signal of this node",
      registers,
    }),
    sockets: new Gauge({
      name: "signalbox_sockets",
      help: "Open sockets",
      labelNames: ["kind"],
      registers,
    }),
    hibernating: new Gauge({
      name: "signalbox_hibernating_streams",
      help: "Chat streams without a connection that can be resumed",
      registers,
    }),
    chatLink: new Gauge({
      name: "signalbox_chat_link",
      help: "Whether this node is attached to the chat server",
      registers,
    }),
    chatPasses: new Counter({
      name: "signalbox_chat_passes_total",
      help: "Call signals for the chat server",
      labelNames: ["outcome"],
      registers,
    }),
    chatCopies: new Counter({
      name: "signalbox_chat_copies_total",
      help: "Stanzas that the chat server copied to this node",
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
