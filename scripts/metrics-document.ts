import { METRIC_TABLE, type MetricDefinition } from "../src/core/metric-table";

/** docs/METRICS.md: every metric of the service with its type, unit and labels. */
export function metricsMarkdown(): string {
  const metrics: MetricDefinition[] = Object.values(METRIC_TABLE);
  const rows = metrics.map(
    ({ kind, name, help, labels }) =>
      `| \`${name}\` | ${kind} | ${unitOf(name)} | ${labelsOf(labels)} | ${help} |`,
  );
  return `# Metrics

\`GET /metrics\` of a node serves these metrics in Prometheus's text format. It also serves the \`process_…\` and \`nodejs_…\`
metrics of Node.js that prom-client collects by default. [OPERATIONS.md](OPERATIONS.md#metrics) says who can read them, and
has alerts and a dashboard. This file is generated from src/core/metric-table.ts by \`npm run generate\`.

- Each node counts for itself, and from zero at its start: sum the rates of all nodes.
- A histogram is served as \`NAME_bucket\`, \`NAME_sum\` and \`NAME_count\`.
- A counter whose labels list all of their values is served with each combination of them from the start.
- No label holds data of users, and none names an application.

| metric | type | unit | labels | what it measures |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

/** The unit, in which the name ends. */
function unitOf(name: string): string {
  const [, unit] = /_(seconds|ratio)$/.exec(name) ?? [];
  return unit ?? "number";
}

function labelsOf(labels: MetricDefinition["labels"]): string {
  const texts = Object.entries(labels).map(([label, values]) => {
    const shown =
      typeof values === "string" ? values : values.map((value) => `\`${value}\``).join(", ");
    return `\`${label}\`: ${shown}`;
  });
  return texts.length === 0 ? "none" : texts.join("; ");
}
