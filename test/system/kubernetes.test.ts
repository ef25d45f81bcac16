import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { findProgram, run } from "../../scripts/services/binaries";
import { openMetrics } from "../../src/core/metrics";
import { rtcPorts } from "../../src/core/variables/rtc-ports";
import { checkExposure } from "../../src/domain/health/checks/exposure";
import type { Fields } from "../support/deploy/fields";
import {
  buildOverlay,
  copyKubernetes,
  environmentOf,
  isBuiltIn,
  type KubernetesObject,
  podOf,
  secretFilesOf,
  typeProblems,
} from "../support/deploy/kubernetes";
import { readSettings } from "../support/deploy/settings";

/** The overlays of deploy/kubernetes, as kubectl builds them. */

const MONITORED = ["Ingress", "NetworkPolicy", "PrometheusRule", "Secret", "Service"];
const COMMON = ["ConfigMap", ...MONITORED, "ServiceAccount", "ServiceMonitor"];
const NODES = [...COMMON, "Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget"];
const KINDS: Record<string, string[]> = {
  embedded: [...COMMON, "StatefulSet"],
  "embedded-load-balancer": [...COMMON, "StatefulSet"],
  nodes: NODES,
  "nodes-host-port": NODES,
  "nodes-janus": NODES,
  migrate: ["ConfigMap", "Job", "NetworkPolicy", "Secret"],
};

/** The overlays whose nodes serve the media of conferences themselves. */
const SERVE_MEDIA = ["embedded-load-balancer", "nodes-host-port"];

const folder = mkdtempSync(join(tmpdir(), "signalbox-kubernetes-"));
const built: Record<string, KubernetesObject[]> = {};

beforeAll(async () => {
  await copyKubernetes(folder);
  for (const overlay of Object.keys(KINDS)) built[overlay] = await buildOverlay(folder, overlay);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sorted = (values: Iterable<string>) => [...new Set(values)].sort();

/** Whether labels fulfil a selector of labels. */
const matches = (selector: Record<string, string>, labels: Record<string, string> = {}) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/** What an overlay consists of. */
function readOverlay(overlay: string) {
  const objects = built[overlay] ?? [];
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const named = (kind: string, name: string) =>
    ofKind(kind).find(({ metadata }) => metadata.name === name);
  const pods: Fields[] = objects.flatMap((object) => podOf(object) ?? []);
  const containers = pods.flatMap((pod) =>
    pod.spec.containers.map((container: Fields) => ({ pod, container })),
  );
  const [service] = containers.filter(
    ({ container }) => container.image === "registry.example/signalbox:0.1.0",
  );
  const { pod, container } = service;
  const environment = environmentOf(container, objects);
  const config = readSettings(environment);
  return { objects, ofKind, named, pods, containers, pod, container, environment, config };
}

describe.each(Object.keys(KINDS))("%s", (overlay) => {
  it("has objects of the kinds that it needs, by the types of Kubernetes", () => {
    const { objects } = readOverlay(overlay);
    expect(sorted(objects.map(({ kind }) => kind))).toEqual(sorted(KINDS[overlay] ?? []));
    expect(typeProblems(objects.filter(isBuiltIn))).toEqual([]);
  });

  it("has valid settings that exist, and their secrets", async () => {
    const { objects, pod, environment, config } = readOverlay(overlay);
    const problems = (await checkExposure(config)).filter(
      ({ status }) => status === "warning" || status === "error",
    );
    expect(problems).toEqual([]);
    const files = Object.entries(environment).filter(([name]) => name.endsWith("_FILE"));
    expect(sorted(files.map(([, path]) => path))).toEqual(sorted(secretFilesOf(pod, objects)));
  });

  it("refers only to objects that it has", () => {
    const { ofKind, named, pods } = readOverlay(overlay);
    const isSelected = (selector: Record<string, string>) =>
      pods.some(({ metadata }) => matches(selector, metadata.labels));
    for (const { spec } of [...ofKind("Deployment"), ...ofKind("StatefulSet")]) {
      expect(matches(spec.selector.matchLabels, spec.template.metadata.labels)).toBe(true);
    }
    for (const { spec } of ofKind("Service")) expect(isSelected(spec.selector)).toBe(true);
    for (const { spec } of ofKind("PodDisruptionBudget")) {
      expect(isSelected(spec.selector.matchLabels)).toBe(true);
    }
    for (const { spec } of ofKind("NetworkPolicy")) {
      const { matchLabels, matchExpressions = [] } = spec.podSelector;
      const expressions = matchExpressions.flatMap(({ key, values }: Fields) =>
        values.map((value: string) => ({ [key]: value })),
      );
      expect([matchLabels ?? {}, ...expressions].some(isSelected)).toBe(true);
    }
    for (const { spec } of ofKind("HorizontalPodAutoscaler")) {
      expect(named(spec.scaleTargetRef.kind, spec.scaleTargetRef.name)).toBeDefined();
    }
    for (const { spec } of pods) {
      const { serviceAccountName: account } = spec;
      if (account !== undefined) expect(named("ServiceAccount", account)).toBeDefined();
    }
  });

  it("runs containers without rights, and bounds their memory", () => {
    const { named, containers } = readOverlay(overlay);
    for (const { pod, container } of containers) {
      const account = named("ServiceAccount", pod.spec.serviceAccountName);
      expect((account ?? pod.spec).automountServiceAccountToken).toBe(false);
      expect(pod.spec.enableServiceLinks).toBe(false);
      expect(pod.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.resources.requests).toHaveProperty("cpu");
      expect(container.resources.limits).toHaveProperty("memory");
    }
  });
});

describe.each(
  Object.keys(KINDS).filter((overlay) => overlay !== "migrate"),
)("a node of %s", (overlay) => {
  it("trusts the ingress controller, the only one that reaches it, at the public names", () => {
    const { named, config } = readOverlay(overlay);
    expect([config.TRUST_PROXY, config.XMPP_TRUSTED_PROXY]).toEqual([["10.0.0.0/8"], true]);
    const hosts = [config.BASE_URL, config.CHAT_URL].map((url) => new URL(`${url}`).hostname);
    const ingress = named("Ingress", "signalbox")?.spec;
    expect(ingress.rules.map(({ host }: Fields) => host)).toEqual(hosts);
    expect(ingress.tls[0].hosts).toEqual(hosts);
    const sources = named("NetworkPolicy", "signalbox")?.spec.ingress.map(({ from }: Fields) =>
      from.map(({ namespaceSelector }: Fields) => Object.values(namespaceSelector.matchLabels)),
    );
    expect(sources.flat(2)).toEqual(["ingress-nginx", "monitoring"]);
  });

  it("is reached at ports that it has", () => {
    const { ofKind, named, containers } = readOverlay(overlay);
    const ports = containers.flatMap(({ container }) =>
      container.ports.map(({ name }: Fields) => name),
    );
    const services = ofKind("Service").filter(({ spec }) => spec.type !== "LoadBalancer");
    for (const { spec } of services) {
      expect(ports).toEqual(
        expect.arrayContaining(spec.ports.map(({ targetPort }: Fields) => targetPort)),
      );
    }
    const offered = named("Service", "signalbox")?.spec.ports.map(({ name }: Fields) => name);
    const backends = named("Ingress", "signalbox")?.spec.rules.map(
      ({ http }: Fields) => http.paths[0].backend.service,
    );
    expect(backends.map(({ name, port }: Fields) => [name, port.name])).toEqual([
      ["signalbox", "http"],
      ["signalbox", "chat"],
    ]);
    expect(offered).toEqual(["http", "chat"]);
  });

  it("is read by Prometheus with its token", () => {
    const { ofKind, named } = readOverlay(overlay);
    const { selector, endpoints } = named("ServiceMonitor", "signalbox")?.spec ?? {};
    const monitored = ofKind("Service").filter(({ metadata }) =>
      matches(selector.matchLabels, metadata.labels),
    );
    expect(monitored.map(({ metadata }) => metadata.name)).toEqual(["signalbox"]);
    const [{ port, path, authorization }] = endpoints;
    expect([port, path]).toEqual(["http", "/metrics"]);
    const { name, key } = authorization.credentials;
    expect(Object.keys(named("Secret", name)?.data)).toContain(key);
  });

  it("has the time to leave the Service and to drain", () => {
    const { pod, container, config } = readOverlay(overlay);
    const [program, seconds] = container.lifecycle.preStop.exec.command;
    expect([program, Number(seconds)]).toEqual(["sleep", 10]);
    const drain = config.DRAIN_SPREAD_SECONDS + config.DRAIN_SECONDS + 5;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(10 + drain);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet)).toEqual([
      { path: "/healthz", port: "http" },
      { path: "/healthz", port: "http" },
      { path: "/readyz", port: "http" },
    ]);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(60);
  });

  it("opens the ports of media if it serves media, and no others", () => {
    const { ofKind, named, container, config } = readOverlay(overlay);
    const isServed = config.CONFERENCES && config.JANUS_URL === undefined;
    expect(isServed).toBe(SERVE_MEDIA.includes(overlay));
    const expected = isServed ? Object.values(rtcPorts(config)).flat() : [];
    const hostPorts = container.ports.flatMap(({ hostPort }: Fields) => hostPort ?? []);
    const balanced = ofKind("Service")
      .filter(({ spec }) => spec.type === "LoadBalancer")
      .flatMap(({ spec }) => spec.ports.map(({ port }: Fields) => port));
    expect([...hostPorts, ...balanced]).toEqual(expected);
    const [admitted] = named("NetworkPolicy", "signalbox-media")?.spec.ingress ?? [{ ports: [] }];
    expect(admitted.ports.map(({ port }: Fields) => port)).toEqual(expected);
    expect(config.RTC_ANNOUNCED_ADDRESS !== undefined).toBe(isServed);
  });
});

describe("the alerts", () => {
  const rule = () => built.nodes?.find(({ kind }) => kind === "PrometheusRule");

  it("are valid rules of Prometheus", async () => {
    const file = join(folder, "rules.yaml");
    writeFileSync(file, stringify(rule()?.spec));
    const { stdout } = await run(findProgram("promtool", "prometheus"), ["check", "rules", file]);
    expect(stdout).toMatch(/SUCCESS: 6 rules found/);
  });

  it("use metrics and labels that the service has", () => {
    const { registry } = openMetrics();
    const expressions = rule()
      ?.spec.groups[0].rules.map(({ expr }: Fields) => expr)
      .join("\n");
    const uses = [...expressions.matchAll(/\b(signalbox_\w+)(?:\{(\w+)=)?/g)];
    expect(uses).toHaveLength(5);
    for (const [, name, label] of uses) {
      const metric = registry.getSingleMetric(name) as { labelNames?: string[] } | undefined;
      expect([name, metric === undefined]).toEqual([name, false]);
      if (label !== undefined) expect(metric?.labelNames).toContain(label);
    }
  });
});

describe("a check of types", () => {
  it("finds unknown fields, missing ones and wrong types", () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "a" },
      spec: { ports: [{ port: "4000" }, { port: 4000, protocoll: "TCP" }, { name: "b" }] },
    };
    expect(typeProblems([service])).toEqual([
      expect.stringContaining("Service a: Type 'string' is not assignable to type 'number'"),
      expect.stringContaining("protocoll"),
      expect.stringContaining("Property 'port' is missing"),
    ]);
  });
});
