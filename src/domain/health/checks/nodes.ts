import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";
import { type ListedNode, listNodes, nodeName } from "../nodes/node-queries";
import { type Finding, ok, pluralize, skipped, warning } from "./finding";
import { statementsOver } from "./statements";

const CHECK = "nodes";

/** Checks that the nodes of the deployment run, all in one version, and see the addresses of their clients. */
export async function checkNodes(connection: MigrationConnection): Promise<Finding[]> {
  const nodes = await listNodes(statementsOver(connection));
  if (nodes.length === 0) return [skipped(CHECK, "none is running")];
  const running = nodes.filter(({ missing }) => !missing);
  const versions = [...new Set(running.map(({ version }) => version))].sort();
  const problems = nodes.filter(({ missing }) => missing).map(missingNode);
  if (versions.length > 1) {
    const detail = `${running.length} nodes run in different versions: ${versions.join(", ")}`;
    problems.push(warning(CHECK, detail, "Update the older ones, and restart them."));
  }
  problems.push(...running.flatMap(untrustedProxy));
  if (problems.length > 0) return problems;
  const verb = running.length === 1 ? "runs" : "run";
  return [ok(CHECK, `${pluralize(running.length, "node")} ${verb}, version ${versions.join()}`)];
}

/** Limits count per client address. Another client may have forged the header, which the node then ignores. */
function untrustedProxy(node: ListedNode): Finding[] {
  const { untrustedProxy: address } = node;
  if (address === null) return [];
  const detail = `the node ${nodeName(node)} gets requests through ${address}, which TRUST_PROXY does not name: all clients of that proxy share the limits of one address`;
  const fix = `If ${address} is your proxy, add it to TRUST_PROXY and restart the node. If it is a client that writes X-Forwarded-For itself, do nothing: the header is ignored.`;
  return [warning(CHECK, detail, fix)];
}

function missingNode(node: ListedNode): Finding {
  const minutes = pluralize(Math.max(1, Math.round(node.silentSeconds / 60)), "minute");
  const detail = `the node ${nodeName(node)} is missing: its last report is ${minutes} old`;
  const fix =
    "Check its log, and start it again. If it was removed, do nothing: it is forgotten after an hour.";
  return warning(CHECK, detail, fix);
}
