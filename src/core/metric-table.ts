import { ERRORS } from "./errors";

/** A metric of the service. */
export type MetricDefinition = {
  /** Its name in Prometheus, which ends in the unit; that of a counter ends in `_total`. */
  name: string;
  /** What it measures, as Prometheus and docs/METRICS.md show it. */
  help: string;
  /** Each label with all of its values, or with what its values are if they are too many to list. */
  labels: Readonly<Record<string, readonly string[] | string>>;
} & (
  | { kind: "counter" | "gauge" }
  | {
      kind: "histogram";
      /** Upper bounds of the buckets. */
      buckets: readonly number[];
    }
);

const CODES = ["OK", ...Object.keys(ERRORS)];
const PUSH_SERVICES = ["apns", "fcm", "web"];

/** The metrics of the service by their names in the code. No label holds data of users. */
export const METRIC_TABLE = {
  build: {
    kind: "gauge",
    name: "signalbox_build_info",
    help: "Always 1. The label has the version that runs.",
    labels: { version: "the version of the package" },
  },
  operations: {
    kind: "counter",
    name: "signalbox_operations_total",
    help: "Operations that clients ran, with OK or the code of their error.",
    labels: {
      protocol: ["graphql", "websocket", "rest", "janus"],
      operation: "the first field of the operation, or the request of a legacy conference client",
      code: CODES,
    },
  },
  operationSeconds: {
    kind: "histogram",
    name: "signalbox_operation_duration_seconds",
    help: "Duration of queries, mutations and requests. Subscriptions are not measured.",
    labels: { protocol: ["graphql", "websocket", "rest", "janus"] },
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
  },
  signals: {
    kind: "counter",
    name: "signalbox_signals_total",
    help: "Call signals accepted from clients. The type other stands for all types of clients' own.",
    labels: {
      protocol: ["graphql", "xmpp", "rest"],
      type: [
        "call",
        "accept",
        "reject",
        "hangUp",
        "iceCandidates",
        "update",
        "iceRestart",
        "iceRestartAccept",
        "other",
      ],
    },
  },
  deliveries: {
    kind: "counter",
    name: "signalbox_signal_deliveries_total",
    help: "Call signals delivered to devices.",
    labels: { protocol: ["graphql", "xmpp"] },
  },
  callRecords: {
    kind: "counter",
    name: "signalbox_call_records_total",
    help: "Signals to be recorded in the call history: written, unmatched if no such call is recorded, or dropped.",
    labels: { outcome: ["written", "unmatched", "dropped"] },
  },
  incomingCallPushes: {
    kind: "counter",
    name: "signalbox_incoming_call_pushes_total",
    help: "Pushes of incoming calls, one for each user who is called.",
    labels: {},
  },
  missedCallPushes: {
    kind: "counter",
    name: "signalbox_missed_call_pushes_total",
    help: "Pushes of missed calls, one for each user who was called.",
    labels: {},
  },
  pushDeliveries: {
    kind: "counter",
    name: "signalbox_push_deliveries_total",
    help: "Attempts to send a push notification to a device. After retry it is tried again; unregistered devices are forgotten.",
    labels: {
      service: PUSH_SERVICES,
      outcome: ["accepted", "unregistered", "failed", "retry"],
    },
  },
  pushSeconds: {
    kind: "histogram",
    name: "signalbox_push_request_duration_seconds",
    help: "Response time of push services.",
    labels: { service: PUSH_SERVICES },
    buckets: [0.01, 0.05, 0.2, 1, 5],
  },
  jobRuns: {
    kind: "counter",
    name: "signalbox_job_runs_total",
    help: "Runs of background jobs. A failed run is repeated, unless it was the job's last retry.",
    labels: { queue: "the name of the job", outcome: ["completed", "failed"] },
  },
  loadShed: {
    kind: "counter",
    name: "signalbox_load_shed_total",
    help: "Connections and requests refused under overload, by whether they had a token, valid or not.",
    labels: { class: ["anonymous", "with_token"] },
  },
  inboxUsage: {
    kind: "gauge",
    name: "signalbox_inbox_usage_ratio",
    help: "Share of INBOXES_BYTES that the inboxes of all users take, from 0 to 1, at the last signal of the node.",
    labels: {},
  },
  sockets: {
    kind: "gauge",
    name: "signalbox_sockets",
    help: "Open sockets and chat streams.",
    labels: { protocol: ["graphql", "xmpp", "janus"] },
  },
  resumableStreams: {
    kind: "gauge",
    name: "signalbox_resumable_streams",
    help: "Disconnected chat streams that can be resumed.",
    labels: {},
  },
  conferences: {
    kind: "gauge",
    name: "signalbox_conferences",
    help: "Conferences that the node hosts.",
    labels: {},
  },
  conferenceParticipants: {
    kind: "gauge",
    name: "signalbox_conference_participants",
    help: "Participants of the conferences that the node hosts.",
    labels: {},
  },
  conferenceTracks: {
    kind: "gauge",
    name: "signalbox_conference_tracks",
    help: "Tracks that the media server forwards for the node.",
    labels: {},
  },
  janusSessions: {
    kind: "gauge",
    name: "signalbox_janus_sessions",
    help: "Sessions of legacy conference clients.",
    labels: { transport: ["websocket", "polling"] },
  },
  chatServerConnected: {
    kind: "gauge",
    name: "signalbox_chat_server_connected",
    help: "1 while the node is connected to the chat server (CHAT_MODE=component), otherwise 0.",
    labels: {},
  },
  chatServerSignalsSent: {
    kind: "counter",
    name: "signalbox_chat_server_signals_sent_total",
    help: "Call signals sent to the chat server. They fail while it cannot be reached.",
    labels: { outcome: ["delivered", "failed"] },
  },
  chatServerForwardedMessages: {
    kind: "counter",
    name: "signalbox_chat_server_forwarded_messages_total",
    help: "Messages that the chat server forwarded (XEP-0297): ignored if they are no call signal of a user, rejected if they are answered with an error.",
    labels: { outcome: ["delivered", "duplicate", "ignored", "rejected", "malformed"] },
  },
  chatServerSignIns: {
    kind: "counter",
    name: "signalbox_chat_server_sign_ins_total",
    help: "Requests to POST /chat/sign-in: unavailable if they are limited or temporarily impossible, unauthorized without the secret.",
    labels: { outcome: ["allowed", "denied", "unavailable", "malformed", "unauthorized"] },
  },
  databaseSeconds: {
    kind: "histogram",
    name: "signalbox_database_statement_duration_seconds",
    help: "Duration of prepared statements outside of transactions, with the wait for a connection. Statements of the Prisma client are not measured.",
    labels: {},
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
  },
  databaseUnavailable: {
    kind: "counter",
    name: "signalbox_database_unavailable_total",
    help: "Prepared statements outside of transactions that failed because the database could not be reached or accepted no changes.",
    labels: {},
  },
  databaseConnections: {
    kind: "gauge",
    name: "signalbox_database_connections",
    help: "Connections to PostgreSQL that are in use and idle, and statements that wait for one. Absent with the embedded database.",
    labels: { state: ["used", "idle", "waiting"] },
  },
  redisConnected: {
    kind: "gauge",
    name: "signalbox_redis_connected",
    help: "1 while a connection to Redis is open, otherwise 0. Absent without REDIS_URL.",
    labels: { connection: ["commands", "subscriptions", "limits"] },
  },
  redisSeconds: {
    kind: "histogram",
    name: "signalbox_redis_command_duration_seconds",
    help: "Duration of commands and scripts at Redis, of the message bus and of shared limits, with the wait for a lost connection.",
    labels: {},
    buckets: [0.0005, 0.002, 0.01, 0.05, 0.2, 1],
  },
} as const satisfies Record<string, MetricDefinition>;
