import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { packageVersion } from "./package-root";

/** Prometheus metrics of the service. Labels never contain user data. */
export interface Metrics {
  registry: Registry;
  /**
   * Operations by protocol (`graphql`, `websocket`, `rest`, `janus`), operation and code (`OK` or a key of `ERRORS`).
   */
  operations: Counter<"protocol" | "operation" | "code">;
  /** Duration of operations in seconds, by protocol. */
  operationSeconds: Histogram<"protocol">;
  /** Signals that the router accepted, by protocol and type. */
  signals: Counter<"protocol" | "type">;
  /** Signals delivered to devices, by protocol. */
  deliveries: Counter<"protocol">;
  /**
   * Signals to be recorded in the call history, by outcome: `written`, `unmatched` (no such call is recorded),
   * `dropped`.
   */
  callRecords: Counter<"outcome">;
  /** Incoming-call pushes, one for each user of a call. */
  incomingCallPushes: Counter;
  /** Attempts to send a push notification, by service (`PushService` of the Prisma schema) and outcome. */
  pushDeliveries: Counter<"service" | "outcome">;
  /** Response time of push services in seconds, by service. */
  pushSeconds: Histogram<"service">;
  /**
   * Connections and requests rejected under overload, by class: `anonymous`, or `with_token`, whether or not the
   * token is valid.
   */
  loadShed: Counter<"class">;
  /** Usage of INBOXES_BYTES by all signal inboxes together, from 0 to 1, at the last signal of this node. */
  inboxUsage: Gauge;
  /** Open sockets by protocol (`graphql`, `xmpp`, `janus`). */
  sockets: Gauge<"protocol">;
  /** Sessions of legacy conference clients, by transport (`websocket`, `polling`). */
  janusSessions: Gauge<"transport">;
  /** Conferences that this node hosts. */
  conferences: Gauge;
  /** Participants of these conferences. */
  conferenceParticipants: Gauge;
  /** Tracks that the media server forwards for this node. */
  conferenceTracks: Gauge;
  /** Disconnected chat streams that can be resumed. */
  resumableStreams: Gauge;
  /** 1 while this node is connected to the chat server, with CHAT_MODE=component. */
  chatServerConnected: Gauge;
  /** Signals sent to the chat server, by outcome: `delivered`, or `failed` if it cannot be reached. */
  chatServerSignalsSent: Counter<"outcome">;
  /**
   * Messages that the chat server forwarded to this node (XEP-0297), by outcome: `delivered`, `duplicate`,
   * `ignored` (not a call signal of a user), `rejected` (answered with an error), `malformed`.
   */
  chatServerForwardedMessages: Counter<"outcome">;
  /**
   * Requests to POST /chat/sign-in, by outcome: `allowed`, `denied`, `unavailable` (rate limited or temporarily
   * impossible), `malformed`, and `unauthorized` (without the secret, so not from a chat server).
   */
  chatServerSignIns: Counter<"outcome">;
}

let processMetrics: Registry | undefined;

/**
 * Metrics of Node.js and of the process. Their observers of garbage collection and of the event loop cannot be stopped,
 * so all nodes of a process share them.
 */
function metricsOfProcess(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

/** Creates the metrics and the registry of one node. */
export function openMetrics(): Metrics {
  const registry = Registry.merge([metricsOfProcess()]);
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
      help: "Operations run",
      labelNames: ["protocol", "operation", "code"],
      registers,
    }),
    operationSeconds: new Histogram({
      name: "signalbox_operation_duration_seconds",
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
      help: "Signals to be recorded in the call history",
      labelNames: ["outcome"],
      registers,
    }),
    incomingCallPushes: new Counter({
      name: "signalbox_incoming_call_pushes_total",
      help: "Incoming-call pushes, one for each user of a call",
      registers,
    }),
    pushDeliveries: new Counter({
      name: "signalbox_push_deliveries_total",
      help: "Attempts to send a push notification",
      labelNames: ["service", "outcome"],
      registers,
    }),
    pushSeconds: new Histogram({
      name: "signalbox_push_request_duration_seconds",
      help: "Response time of push services",
      labelNames: ["service"],
      buckets: [0.01, 0.05, 0.2, 1, 5],
      registers,
    }),
    loadShed: new Counter({
      name: "signalbox_load_shed_total",
      help: "Connections and requests rejected under overload",
      labelNames: ["class"],
      registers,
    }),
    inboxUsage: new Gauge({
      name: "signalbox_inbox_usage_ratio",
      help: "Fraction of INBOXES_BYTES that all inboxes use, from 0 to 1, at the last signal of this node",
      registers,
    }),
    sockets: new Gauge({
      name: "signalbox_sockets",
      help: "Open sockets",
      labelNames: ["protocol"],
      registers,
    }),
    conferences: new Gauge({
      name: "signalbox_conferences",
      help: "Conferences that this node hosts",
      registers,
    }),
    conferenceParticipants: new Gauge({
      name: "signalbox_conference_participants",
      help: "Participants of the conferences that this node hosts",
      registers,
    }),
    conferenceTracks: new Gauge({
      name: "signalbox_conference_tracks",
      help: "Tracks that the media server forwards for this node",
      registers,
    }),
    janusSessions: new Gauge({
      name: "signalbox_janus_sessions",
      help: "Sessions of legacy conference clients",
      labelNames: ["transport"],
      registers,
    }),
    resumableStreams: new Gauge({
      name: "signalbox_resumable_streams",
      help: "Disconnected chat streams that can be resumed",
      registers,
    }),
    chatServerConnected: new Gauge({
      name: "signalbox_chat_server_connected",
      help: "1 while this node is connected to the chat server",
      registers,
    }),
    chatServerSignalsSent: new Counter({
      name: "signalbox_chat_server_signals_sent_total",
      help: "Call signals sent to the chat server",
      labelNames: ["outcome"],
      registers,
    }),
    chatServerForwardedMessages: new Counter({
      name: "signalbox_chat_server_forwarded_messages_total",
      help: "Messages that the chat server forwarded to this node",
      labelNames: ["outcome"],
      registers,
    }),
    chatServerSignIns: new Counter({
      name: "signalbox_chat_server_sign_ins_total",
      help: "Requests to POST /chat/sign-in",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
