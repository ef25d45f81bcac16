import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type PrometheusServer,
  promtool,
  startPrometheus,
} from "../../scripts/services/prometheus";
import { connectGraphqlWs, type GraphqlClient } from "../support/calls/graphql-signals";
import { configuration } from "../support/chat/chat-servers/chat-server";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { ALERT_CASES, type Situation } from "../support/operations/alert-cases";
import { addDevice, postEvent } from "../support/push/push";
import { newGuest, rest } from "../support/rest-client";

/** The configuration, the alerts and the dashboard of deploy/ on a real Prometheus, which reads a node under a light load. */

const TOKEN = "the token of Prometheus";
const DEPLOY = join(__dirname, "../../deploy");
const RULES = join(DEPLOY, "prometheus/signalbox.rules.yml");

/** The panels that a healthy node under a light load has no data for. */
const EMPTY_PANELS = [
  "Share of server errors",
  "Operations that fail most",
  "Failed jobs",
  "Duration of push requests",
  "Legacy conference clients",
];

interface Rule {
  name: string;
  query: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: string;
  health: string;
  lastError?: string;
}

interface Panel {
  title: string;
  type: string;
  targets?: Array<{ expr: string }>;
}

let node: TestNode;
let folder: string;
let prometheus: PrometheusServer;
let remote: Awaited<ReturnType<typeof openRemote>>;
let client: GraphqlClient;

/** A way to the node on which a request is one of another machine: it passes a proxy. */
async function openRemote(to: string) {
  const server = createServer((incoming: IncomingMessage, answer: ServerResponse) => {
    const headers = { ...incoming.headers, "x-forwarded-for": "203.0.113.7" };
    const asked = request(new URL(incoming.url ?? "/", to), { headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(answer);
    });
    asked.on("error", () => answer.destroy());
    asked.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address: `127.0.0.1:${port}`, close };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-prometheus-"));
  node = await startNode({ METRICS_TOKEN: TOKEN });
  remote = await openRemote(node.baseUrl);
  const token = join(folder, "token");
  await writeFile(token, `${TOKEN}\n`);
  await copyFile(RULES, join(folder, "signalbox.rules.yml"));
  await writeFile(
    join(folder, "prometheus.yml"),
    await configuration(join(DEPLOY, "prometheus/prometheus.yml"), [
      ["scrape_interval: 15s", "scrape_interval: 1s"],
      ["evaluation_interval: 15s", "evaluation_interval: 1s"],
      ["/etc/prometheus/signalbox-token", token],
      ["10.0.0.11:4000", remote.address],
      ["          - 10.0.0.12:4000\n          - 10.0.0.13:4000\n", ""],
    ]),
  );
  prometheus = await startPrometheus(folder);
});
afterAll(async () => {
  client?.close();
  await prometheus?.stop();
  await remote?.close();
  await node?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Lets the node do a little of everything that the dashboard shows. */
async function work(): Promise<void> {
  const [alice, bob] = [await newGuest(node), await newGuest(node)];
  client = await connectGraphqlWs(node, bob);
  await client.send({ to: { userId: alice.id }, signalType: "hangUp", callId: "s" });
  await rest(node, "GET", "/session");
  await addDevice(node, bob);
  await postEvent(node, alice, { user: { ids: [bob.id] } });
}

const readRules = async () => {
  const { groups } = await prometheus.ask<{ groups: Array<{ rules: Rule[] }> }>("rules");
  return groups.flatMap(({ rules }) => rules);
};

test("promtool accepts the configuration and the alerts", async () => {
  const output = await promtool("check", "config", join(folder, "prometheus.yml"));
  expect(output).toContain(`${Object.keys(ALERT_CASES).length} rules found`);
});

test("the node answers Prometheus for its token only", async () => {
  expect((await fetch(`http://${remote.address}/metrics`)).status).toBe(404);
  const isUp = () => prometheus.query('up{job="signalbox"}');
  await eventually(isUp, ([up]) => up?.value[1] === "1");
});

test("each alert says how urgent it is, what has happened, what to do and where to read on", async () => {
  const rules = await readRules();
  expect(rules.map(({ name }) => name)).toEqual(Object.keys(ALERT_CASES));
  for (const { labels, annotations } of rules) {
    expect(["critical", "warning"]).toContain(labels.severity);
    expect(Object.keys(annotations).sort()).toEqual(["description", "runbook", "summary"]);
  }
});

test("each alert fires when it should, and not otherwise", async () => {
  const rules = await readRules();
  const testOf = ({ series, at }: Situation, name: string, alerts: object[]) => ({
    interval: "1m",
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: alerts }],
  });
  const tests = rules.flatMap(({ name, labels, annotations }) => {
    const { fires, quiet } = ALERT_CASES[name]!;
    const alert = {
      exp_labels: { ...labels, ...fires.labels },
      exp_annotations: { ...annotations, summary: fires.summary },
    };
    return [testOf(fires, name, [alert]), ...quiet.map((each) => testOf(each, name, []))];
  });
  expect(tests.length).toBeGreaterThan(2 * rules.length - 1);
  // JSON is YAML.
  const file = join(folder, "tests.yml");
  await writeFile(file, JSON.stringify({ rule_files: [RULES], tests }));
  expect(await promtool("test", "rules", file)).toContain("SUCCESS");
});

test("each panel of the dashboard has data, and no alert fires on a healthy node", async () => {
  await work();
  const dashboard: { panels: Panel[] } = JSON.parse(
    readFileSync(join(DEPLOY, "grafana/signalbox.json"), "utf8"),
  );
  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      // As Grafana does.
      expression: expr.replaceAll("$instance", ".+").replaceAll("$__rate_interval", "30s"),
    })),
  );
  expect(queries.length).toBeGreaterThan(30);
  const withoutData = async () => {
    const empty = new Set<string>();
    for (const { title, expression } of queries) {
      if ((await prometheus.query(expression)).length === 0) empty.add(title);
    }
    return [...empty];
  };
  await eventually(withoutData, (titles) => `${titles}` === `${EMPTY_PANELS}`);
  const rules = await eventually(readRules, (all) =>
    all.every(({ health }) => health !== "unknown"),
  );
  expect(rules.filter(({ health, state }) => health !== "ok" || state === "firing")).toEqual([]);
});
