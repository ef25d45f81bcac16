/** A situation of a deployment: series of metrics with a value a minute, in the notation of promtool. */
export interface Situation {
  series: Record<string, string>;
  /** When the alerts are looked at. */
  at: string;
}

/** When an alert fires, and when it does not although it might. */
export interface AlertCase {
  fires: Situation & {
    /** Its labels besides its name and severity. */
    labels: Record<string, string>;
    summary: string;
  };
  quiet: Situation[];
}

const A = 'instance="a:4000", job="signalbox"';
const B = 'instance="b:4000", job="signalbox"';
const NODE_A = { instance: "a:4000", job: "signalbox" };
const OF_A = { instance: "a:4000" };

/** A metric of the node a. */
const onA = (name: string, labels = "") => `${name}{${labels}${labels && ", "}${A}}`;

/** Operations with a code among others, each minute. */
const operations = (code: string, failed: number, others: number) => ({
  [onA("signalbox_operations_total", `code="${code}"`)]: `0+${failed}x20`,
  [onA("signalbox_operations_total", 'code="OK"')]: `0+${others}x20`,
});

/** A histogram of 100 observations a minute, by how many there are below each bound. */
function observations(name: string, labels: string, below: Record<string, number>) {
  const buckets = Object.entries({ ...below, "+Inf": 100 }).map(([bound, count]) => [
    onA(`${name}_bucket`, `le="${bound}"${labels}`),
    `0+${count}x30`,
  ]);
  return Object.fromEntries(buckets);
}

/** Each alert of deploy/prometheus/signalbox.rules.yml. */
export const ALERT_CASES: Record<string, AlertCase> = {
  SignalboxNodeDown: {
    fires: {
      series: { [onA("up")]: "1 0x10" },
      at: "5m",
      labels: NODE_A,
      summary: "a:4000 does not answer /metrics",
    },
    quiet: [
      { series: { [onA("up")]: "1 1 0 1x10" }, at: "5m" },
      { series: { 'up{instance="db:9100", job="node"}': "0x10" }, at: "5m" },
    ],
  },
  SignalboxNodeRestarts: {
    fires: {
      series: { [onA("process_start_time_seconds")]: "100 200 300 400x30" },
      at: "20m",
      labels: NODE_A,
      summary: "a:4000 has restarted 3 times within 30 minutes",
    },
    quiet: [{ series: { [onA("process_start_time_seconds")]: "100 200 300x30" }, at: "20m" }],
  },
  SignalboxVersionsDiffer: {
    fires: {
      series: {
        [`signalbox_build_info{version="1.0.0", ${A}}`]: "1x90",
        [`signalbox_build_info{version="1.1.0", ${B}}`]: "1x90",
      },
      at: "70m",
      labels: {},
      summary: "Nodes of 2 versions have run for an hour",
    },
    quiet: [
      {
        series: {
          [`signalbox_build_info{version="1.0.0", ${A}}`]: "1x30 stale",
          [`signalbox_build_info{version="1.1.0", ${B}}`]: "1x90",
        },
        at: "70m",
      },
    ],
  },
  SignalboxInternalErrors: {
    fires: {
      series: operations("INTERNAL", 2, 98),
      at: "15m",
      labels: {},
      summary: "2% of the operations fail with INTERNAL",
    },
    quiet: [
      { series: operations("INTERNAL", 1, 199), at: "15m" },
      { series: operations("INVALID", 50, 50), at: "15m" },
    ],
  },
  SignalboxUnavailable: {
    fires: {
      series: operations("UNAVAILABLE", 10, 90),
      at: "15m",
      labels: {},
      summary: "10% of the operations fail with UNAVAILABLE",
    },
    quiet: [{ series: operations("UNAVAILABLE", 2, 98), at: "15m" }],
  },
  SignalboxSlow: {
    fires: {
      series: observations("signalbox_operation_duration_seconds", ', protocol="graphql"', {
        "0.1": 10,
        "0.5": 20,
        "2": 100,
      }),
      at: "25m",
      labels: {},
      summary: "One request in twenty takes more than 1.906s",
    },
    quiet: [
      {
        series: observations("signalbox_operation_duration_seconds", ', protocol="graphql"', {
          "0.1": 90,
          "0.5": 100,
          "2": 100,
        }),
        at: "25m",
      },
      {
        series: observations("signalbox_operation_duration_seconds", ', protocol="janus"', {
          "0.5": 0,
          "2": 100,
        }),
        at: "25m",
      },
    ],
  },
  SignalboxLoadShedding: {
    fires: {
      series: {
        [onA("signalbox_load_shed_total", 'class="anonymous"')]: "0+60x20",
        [onA("signalbox_load_shed_total", 'class="with_token"')]: "0x20",
      },
      at: "15m",
      labels: OF_A,
      summary: "a:4000 refuses 1 requests a second under overload",
    },
    quiet: [
      { series: { [onA("signalbox_load_shed_total", 'class="anonymous"')]: "0 50x20" }, at: "15m" },
    ],
  },
  SignalboxFileDescriptors: {
    fires: {
      series: { [onA("process_open_fds")]: "900x10", [onA("process_max_fds")]: "1000x10" },
      at: "8m",
      labels: NODE_A,
      summary: "a:4000 uses 90% of its file descriptors",
    },
    quiet: [
      {
        series: { [onA("process_open_fds")]: "700x10", [onA("process_max_fds")]: "1000x10" },
        at: "8m",
      },
    ],
  },
  SignalboxInboxesFull: {
    fires: {
      series: { [onA("signalbox_inbox_usage_ratio")]: "0.9x10" },
      at: "8m",
      labels: {},
      summary: "Signals that wait for their users take 90% of INBOXES_BYTES",
    },
    quiet: [{ series: { [onA("signalbox_inbox_usage_ratio")]: "0.7x10" }, at: "8m" }],
  },
  SignalboxCallRecordsDropped: {
    fires: {
      series: { [onA("signalbox_call_records_total", 'outcome="dropped"')]: "0 0 5x20" },
      at: "10m",
      labels: {},
      summary: "5 signals are missing in the call history",
    },
    quiet: [
      {
        series: {
          [onA("signalbox_call_records_total", 'outcome="dropped"')]: "0x20",
          [onA("signalbox_call_records_total", 'outcome="unmatched"')]: "0+5x20",
        },
        at: "10m",
      },
    ],
  },
  SignalboxPushFailing: {
    fires: {
      series: {
        [onA("signalbox_push_deliveries_total", 'service="apns", outcome="failed"')]: "0+2x40",
        [onA("signalbox_push_deliveries_total", 'service="apns", outcome="retry"')]: "0+1x40",
        [onA("signalbox_push_deliveries_total", 'service="apns", outcome="accepted"')]: "0+7x40",
        [onA("signalbox_push_deliveries_total", 'service="web", outcome="accepted"')]: "0+90x40",
      },
      at: "35m",
      labels: { service: "apns" },
      summary: "30% of the attempts at apns fail",
    },
    quiet: [
      {
        series: {
          [onA("signalbox_push_deliveries_total", 'service="apns", outcome="failed"')]: "0+1x40",
          [onA("signalbox_push_deliveries_total", 'service="apns", outcome="unregistered"')]:
            "0+3x40",
          [onA("signalbox_push_deliveries_total", 'service="apns", outcome="accepted"')]: "0+6x40",
        },
        at: "35m",
      },
    ],
  },
  SignalboxJobsFailing: {
    fires: {
      series: {
        [onA("signalbox_job_runs_total", 'queue="push-fan-out", outcome="failed"')]: "0+1x40",
      },
      at: "35m",
      labels: { queue: "push-fan-out" },
      summary: "The job push-fan-out has failed 30 times within 30 minutes",
    },
    quiet: [
      {
        series: {
          [onA("signalbox_job_runs_total", 'queue="push-fan-out", outcome="failed"')]: "0 2x40",
          [onA("signalbox_job_runs_total", 'queue="purge", outcome="failed"')]: "0 2x40",
        },
        at: "20m",
      },
    ],
  },
  SignalboxJobsStopped: {
    fires: {
      series: {
        [onA("signalbox_job_runs_total", 'queue="purge", outcome="completed"')]: "5x30",
        [onA("signalbox_job_runs_total", 'queue="purge", outcome="failed"')]: "0+1x30",
      },
      at: "25m",
      labels: {},
      summary: "No background job has been completed for 15 minutes",
    },
    // One node runs them.
    quiet: [
      {
        series: {
          [`signalbox_job_runs_total{queue="purge", outcome="completed", ${A}}`]: "5x30",
          [`signalbox_job_runs_total{queue="purge", outcome="completed", ${B}}`]: "0+1x30",
        },
        at: "25m",
      },
    ],
  },
  SignalboxDatabaseUnavailable: {
    fires: {
      series: { [onA("signalbox_database_unavailable_total")]: "0+1x20" },
      at: "10m",
      labels: OF_A,
      summary: "a:4000 cannot use the database",
    },
    quiet: [
      { series: { [onA("signalbox_database_unavailable_total")]: "0 3x20" }, at: "10m" },
      // A failover of a second.
      { series: { [onA("signalbox_database_unavailable_total")]: "0x7 3x20" }, at: "10m" },
    ],
  },
  SignalboxDatabaseSlow: {
    fires: {
      series: observations("signalbox_database_statement_duration_seconds", "", {
        "0.02": 10,
        "0.1": 20,
        "0.5": 100,
      }),
      at: "25m",
      labels: {},
      summary: "One statement in twenty takes more than 475ms",
    },
    quiet: [
      {
        series: observations("signalbox_database_statement_duration_seconds", "", {
          "0.02": 97,
          "0.1": 98,
          "0.5": 100,
        }),
        at: "25m",
      },
    ],
  },
  SignalboxDatabaseConnections: {
    fires: {
      series: { [onA("signalbox_database_connections", 'state="waiting"')]: "3x10" },
      at: "8m",
      labels: { ...NODE_A, state: "waiting" },
      summary: "3 statements of a:4000 have waited for a connection for five minutes",
    },
    quiet: [
      {
        series: {
          [onA("signalbox_database_connections", 'state="waiting"')]: "3x5 0 3x5",
          [onA("signalbox_database_connections", 'state="used"')]: "10x11",
        },
        at: "8m",
      },
    ],
  },
  SignalboxRedisDisconnected: {
    fires: {
      series: {
        [onA("signalbox_redis_connected", 'connection="commands"')]: "1 0x10",
        [onA("signalbox_redis_connected", 'connection="limits"')]: "1x11",
      },
      at: "5m",
      labels: OF_A,
      summary: "a:4000 has no connection to Redis",
    },
    quiet: [
      {
        series: { [onA("signalbox_redis_connected", 'connection="commands"')]: "1 0 1x10" },
        at: "5m",
      },
    ],
  },
  SignalboxChatServerDisconnected: {
    fires: {
      series: {
        [`signalbox_chat_server_connected{${A}}`]: "1x5 0x15",
        [`signalbox_chat_server_connected{${B}}`]: "0x20",
      },
      at: "15m",
      labels: {},
      summary: "No node is connected to the chat server any more",
    },
    quiet: [
      // The other node has taken over.
      {
        series: {
          [`signalbox_chat_server_connected{${A}}`]: "1x5 0x15",
          [`signalbox_chat_server_connected{${B}}`]: "0x5 1x15",
        },
        at: "15m",
      },
      // A deployment without a chat server.
      { series: { [onA("signalbox_chat_server_connected")]: "0x20" }, at: "15m" },
    ],
  },
  SignalboxChatServerSignInsUnauthorized: {
    fires: {
      series: {
        [onA("signalbox_chat_server_sign_ins_total", 'outcome="unauthorized"')]: "0+5x20",
      },
      at: "18m",
      labels: {},
      summary: "75 requests to POST /chat/sign-in had a wrong secret",
    },
    quiet: [
      {
        series: {
          [onA("signalbox_chat_server_sign_ins_total", 'outcome="unauthorized"')]: "0 2x20",
          [onA("signalbox_chat_server_sign_ins_total", 'outcome="denied"')]: "0+9x20",
        },
        at: "15m",
      },
    ],
  },
};
