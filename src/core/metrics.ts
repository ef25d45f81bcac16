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
  /** Open sockets by kind (`graphql`, `xmpp`). */
  sockets: Gauge<"kind">;
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
    sockets: new Gauge({
      name: "signalbox_sockets",
      help: "Open sockets",
      labelNames: ["kind"],
      registers,
    }),
  };
}
