import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMetrics } from "../../src/core/metrics";

/** The service's own metrics and what the documents say about them. */

const DOCS = "docs";
/** Settings of the Prosody modules, which have the same prefix. */
const PROSODY_SETTINGS = ["signalbox_sign_in_url", "signalbox_shared_addresses"];

/** Names and labels of the metrics that the service registers. */
const registered = openMetrics()
  .registry.getMetricsAsArray()
  .map((metric) => metric as unknown as { name: string; labelNames: string[] })
  .filter(({ name }) => name.startsWith("signalbox_"))
  .map(({ name, labelNames }) => ({ name, labels: [...labelNames] }));

test("OPERATIONS.md describes each metric with its labels", () => {
  const text = readFileSync(join(DOCS, "OPERATIONS.md"), "utf8");
  const rows = text.matchAll(/^\| `(signalbox_\w+)` \| ([^|]*) \|/gm);
  const documented = Array.from(rows, ([, name, labels = ""]) => ({
    name,
    // A label's values follow it, in parentheses or after a colon.
    labels: Array.from(
      labels.replace(/\([^)]*\)|:.*/g, "").matchAll(/`(\w+)`/g),
      ([, label]) => label,
    ),
  }));
  expect(registered.length).toBeGreaterThan(10);
  expect(documented).toEqual(registered);
});

test.each(
  readdirSync(DOCS).filter((file) => file.endsWith(".md")),
)("%s names no other metric", (file) => {
  const text = readFileSync(join(DOCS, file), "utf8");
  const known = [...registered.map(({ name }) => name), ...PROSODY_SETTINGS];
  const used = Array.from(text.matchAll(/\bsignalbox_\w+/g), ([name]) => name);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
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
