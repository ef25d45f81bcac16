import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/core/errors";
import { METRIC_TABLE, type MetricDefinition } from "../../src/core/metric-table";
import { openMetrics } from "../../src/core/metrics";
import { SOCKET_PROTOCOLS } from "../../src/core/statistics/application-counters";
import { SIGNAL_TYPES } from "../../src/domain/calls/signals/signal-types";
import { SERVICES } from "../../src/domain/push/channels/channel";

/** The service's own metrics, and what documents, alerts and the dashboard say about them. */

const ROOT = join(__dirname, "../..");
/** Settings of the Prosody modules, which have the same prefix. */
const PROSODY_SETTINGS = ["signalbox_sign_in_url", "signalbox_shared_addresses"];

const metrics: MetricDefinition[] = Object.values(METRIC_TABLE);

/** The names of the series of a metric. */
const seriesOf = ({ kind, name }: MetricDefinition) =>
  kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];

/** The names of metrics in a file. */
const namesIn = (file: string) =>
  Array.from(readFileSync(join(ROOT, file), "utf8").matchAll(/\bsignalbox_\w+/g), ([name]) => name);

const files = [
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  "deploy/prometheus/prometheus.yml",
  "deploy/prometheus/signalbox.rules.yml",
  "deploy/grafana/signalbox.json",
];

test.each(files)("%s names no metric that does not exist", (file) => {
  const isDocument = file.endsWith(".md");
  // A document may name a histogram, an expression its series.
  const known = [
    ...metrics.flatMap((each) => [...seriesOf(each), ...(isDocument ? [each.name] : [])]),
    ...(isDocument ? PROSODY_SETTINGS : []),
  ];
  expect(namesIn(file).filter((name) => !known.includes(name))).toEqual([]);
});

test("the dashboard or an alert uses each metric", () => {
  const used = new Set(files.slice(-2).flatMap(namesIn));
  const unused = metrics.filter((each) => !seriesOf(each).some((name) => used.has(name)));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: object;
  targets?: Array<{ datasource: object; expr: string }>;
}

test("each panel of the dashboard has a place of its own, a text and the chosen data source", () => {
  const { panels }: { panels: Panel[] } = JSON.parse(
    readFileSync(join(ROOT, "deploy/grafana/signalbox.json"), "utf8"),
  );
  const taken = new Set<string>();
  for (const { type, description, gridPos, datasource, targets = [] } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) taken.add(`${x} ${y}`);
    }
    if (type === "row") continue;
    expect(description).toMatch(/\.$/);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of a variable in Grafana
    const chosen = { type: "prometheus", uid: "${datasource}" };
    expect([datasource, ...targets.map((each) => each.datasource)]).toEqual(
      Array(targets.length + 1).fill(chosen),
    );
  }
  const cells = panels.reduce((sum, { gridPos: { w, h } }) => sum + w * h, 0);
  expect(taken.size).toBe(cells);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test("names follow the conventions of Prometheus, and help is a sentence", () => {
  for (const { kind, name, help } of metrics) {
    expect(name).toMatch(/^signalbox_[a-z_]+$/);
    expect([name, name.endsWith("_total")]).toEqual([name, kind === "counter"]);
    expect([name, name.endsWith("_seconds")]).toEqual([name, kind === "histogram"]);
    expect(help).toMatch(/^[A-Z0-9][^|]*\.$/);
  }
});

test("the labels have the values of the modules that count", () => {
  const { operations, signals, sockets, pushDeliveries } = METRIC_TABLE;
  expect(operations.labels.code).toEqual(["OK", ...Object.keys(ERRORS)]);
  expect(signals.labels.type).toEqual([...SIGNAL_TYPES, "other"]);
  expect(sockets.labels.protocol).toEqual(SOCKET_PROTOCOLS);
  expect(pushDeliveries.labels.service).toEqual(SERVICES);
});

test("a counter has each combination of its labels from the start, unless their values are open", async () => {
  const { registry } = openMetrics();
  const text = await registry.metrics();
  expect(text).toContain('signalbox_load_shed_total{class="anonymous"} 0\n');
  expect(text).toContain('signalbox_signals_total{protocol="rest",type="other"} 0\n');
  expect(text).toContain('{service="web",outcome="retry"} 0\n');
  expect(text).not.toMatch(/^signalbox_(operations|job_runs)_total/m);
});

test("a gauge that describes what a node does not have is absent", async () => {
  const text = await openMetrics().registry.metrics();
  expect(text).not.toMatch(/^signalbox_(redis_connected|database_connections)/m);
});

test("nodes of a process share the metrics of the process, and no others", async () => {
  const [one, two] = [openMetrics(), openMetrics()];
  const metric = (of: typeof one, name: string) => of.registry.getSingleMetric(name);
  for (const name of ["process_cpu_seconds_total", "nodejs_gc_duration_seconds"]) {
    expect([name, metric(one, name)]).toEqual([name, expect.anything()]);
    expect(metric(two, name)).toBe(metric(one, name));
  }
  one.incomingCallPushes.inc();
  expect(await one.registry.metrics()).toContain("signalbox_incoming_call_pushes_total 1\n");
  expect(await two.registry.metrics()).toContain("signalbox_incoming_call_pushes_total 0\n");
});
