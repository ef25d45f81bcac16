import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parseAllDocuments } from "yaml";
import { findProgram, run } from "../../../scripts/services/binaries";
import type { Fields } from "./fields";

const ROOT = join(__dirname, "../../..");
const OVERLAYS = "deploy/kubernetes";

/** An object of Kubernetes. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  [field: string]: Fields;
}

/** Copies deploy/kubernetes to a folder, and creates its secrets by the commands that docs/DEPLOY.md prints. */
export async function copyKubernetes(folder: string): Promise<void> {
  cpSync(join(ROOT, OVERLAYS), join(folder, OVERLAYS), { recursive: true });
  const document = readFileSync(join(ROOT, "docs/DEPLOY.md"), "utf8");
  const [, commands] = /^ +```sh\n( +cd deploy\/kubernetes\n[\s\S]+?)^ +```$/m.exec(document) ?? [];
  if (commands === undefined) throw new Error("docs/DEPLOY.md has no commands for the secrets");
  await run("bash", ["-euc", commands], { cwd: folder });
}

/** The objects of an overlay, as kubectl builds it. */
export async function buildOverlay(folder: string, overlay: string): Promise<KubernetesObject[]> {
  const kubectl = findProgram("kubectl", "kubernetes-client");
  const { stdout } = await run(kubectl, ["kustomize", join(folder, OVERLAYS, overlay)]);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** Whether the type of an object is one of Kubernetes itself, and not of an extension. */
export const isBuiltIn = ({ apiVersion }: KubernetesObject): boolean =>
  !apiVersion.startsWith("monitoring.coreos.com/");

/** The problems of objects by the published types of Kubernetes: unknown and missing fields, wrong types. */
export function typeProblems(objects: readonly KubernetesObject[]): string[] {
  const lines = objects.map((object, index) => {
    const [group, version] = `core/${object.apiVersion}`.split("/").slice(-2) as [string, string];
    const path = `kubernetes-types/${group.replace(".k8s.io", "")}/${version}`;
    return `const o${index}: import("${path}").${object.kind} = ${JSON.stringify(object)};`;
  });
  const file = join(ROOT, "kubernetes-objects.ts");
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    lib: ["lib.es2022.d.ts"],
    moduleResolution: ts.ModuleResolutionKind.Node10,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, language) =>
    path === file
      ? ts.createSourceFile(path, lines.join("\n"), language)
      : getSourceFile(path, language);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file: source, start = 0 }) => {
    const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line;
    const { kind, metadata } = objects[line] ?? { kind: "?", metadata: { name: "?" } };
    return `${kind} ${metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

/** The template of the pods of a workload; undefined for other objects. */
export const podOf = ({ spec }: KubernetesObject): Fields => spec?.template;

/** The environment of a container: its config maps and its own variables. */
export function environmentOf(
  container: Fields,
  objects: readonly KubernetesObject[],
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = objects.find(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === configMapRef.name,
    );
    if (map === undefined) throw new Error(`there is no ConfigMap ${configMapRef.name}`);
    Object.assign(environment, map.data);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    // Both are addresses of the machine or the pod.
    environment[name] = valueFrom === undefined ? value : "192.0.2.7";
  }
  return environment;
}

/** The files of a container's secrets, by the Secrets of its volumes. */
export function secretFilesOf(pod: Fields, objects: readonly KubernetesObject[]): string[] {
  const keysOf = (secret: string) => {
    const found = objects.find(
      ({ kind, metadata }) => kind === "Secret" && metadata.name === secret,
    );
    if (found === undefined) throw new Error(`there is no Secret ${secret}`);
    return Object.keys(found.data);
  };
  const [container] = pod.spec.containers;
  return pod.spec.volumes.flatMap(({ name, secret, projected }: Fields) => {
    const secrets: string[] = [
      ...(secret ? [secret.secretName] : []),
      ...(projected?.sources ?? []).map((source: Fields) => source.secret.name),
    ];
    const mount = container.volumeMounts.find((each: Fields) => each.name === name);
    return secrets.flatMap((each) => keysOf(each).map((key) => `${mount.mountPath}/${key}`));
  });
}
