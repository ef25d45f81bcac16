import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { METRIC_TABLE, type MetricDefinition } from "./metric-table";
import { packageVersion } from "./package-root";

type Table = typeof METRIC_TABLE;
type LabelOf<Definition extends MetricDefinition> = keyof Definition["labels"] & string;
type MetricOf<Definition extends MetricDefinition> = {
  counter: Counter<LabelOf<Definition>>;
  gauge: Gauge<LabelOf<Definition>>;
  histogram: Histogram<LabelOf<Definition>>;
}[Definition["kind"]];

/** Prometheus metrics of the service: those of {@link METRIC_TABLE}, in one registry. */
export type Metrics = { registry: Registry } & { [Name in keyof Table]: MetricOf<Table[Name]> };

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
  const entries = Object.entries(METRIC_TABLE).map(([name, definition]) => [
    name,
    createMetric(definition, registry),
  ]);
  const metrics: Metrics = { registry, ...Object.fromEntries(entries) };
  metrics.build.set({ version: packageVersion() }, 1);
  return metrics;
}

function createMetric(definition: MetricDefinition, registry: Registry) {
  const { name, help, labels } = definition;
  const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (definition.kind === "gauge") return new Gauge(options);
  if (definition.kind === "histogram") {
    return new Histogram({ ...options, buckets: [...definition.buckets] });
  }
  const counter = new Counter(options);
  // Prometheus does not see the first increase of a series that does not exist before.
  for (const values of labelValues(labels)) counter.inc(values, 0);
  return counter;
}

/** All combinations of the values of labels; none if those of a label are not listed. */
function labelValues(labels: MetricDefinition["labels"]): Array<Record<string, string>> {
  let combinations: Array<Record<string, string>> = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    combinations = combinations.flatMap((each) =>
      values.map((value) => ({ ...each, [label]: value })),
    );
  }
  return combinations;
}

/** Sets a gauge whenever the metrics are read. */
export function setOnRead<Label extends string>(gauge: Gauge<Label>, set: () => void): void {
  // prom-client calls it before it reads the gauge; its types have it only as an option of the constructor.
  Object.assign(gauge, { collect: set });
}
