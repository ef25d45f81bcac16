/**
 * Sends generated and mutated input to nodes, and checks for violations of the properties in report.ts:
 *
 *     npm run fuzz -- --seconds 120 --seed 1 --target rest,graphql
 */

import { type DeploymentName, startDeployment } from "./deployment/deployment";
import { type LogWarning } from "./deployment/node-process";
import { type Options, readOptions } from "./options";
import { printSummary, printTarget, type TargetReport } from "./report";
import { Runner } from "./runner";
import { component } from "./targets/component";
import { graphql } from "./targets/graphql";
import { graphqlSocket } from "./targets/graphql-socket";
import { http } from "./targets/http-bytes";
import { janus } from "./targets/janus";
import { janusPolling } from "./targets/janus-polling";
import { media } from "./targets/media";
import { rest } from "./targets/rest";
import { sdp } from "./targets/sdp";
import { signatures } from "./targets/signatures";
import { tokens } from "./targets/tokens";
import { udp } from "./targets/udp";
import { xmpp } from "./targets/xmpp";

const TARGETS = [
  rest,
  http,
  graphql,
  graphqlSocket,
  xmpp,
  janus,
  janusPolling,
  component,
  signatures,
  tokens,
  sdp,
  udp,
  media,
];

/** Runs the targets sequentially. Log lines are attributed to the target that is running. */
async function fuzz(name: DeploymentName, options: Options): Promise<TargetReport[]> {
  let complain: (complaint: LogWarning) => void = () => undefined;
  const deployment = await startDeployment(name, (complaint) => complain(complaint));
  const stop = () => void deployment.stop().finally(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    const runner = new Runner(deployment, options);
    complain = (complaint) => runner.logWarning(complaint);
    await runner.begin();
    const weights = options.targets.reduce((sum, { weight }) => sum + weight, 0);
    const share = options.seconds / options.deployments.length / weights;
    const reports: TargetReport[] = [];
    for (const target of options.targets) {
      const report = await runner.run(target, share * target.weight);
      printTarget(report);
      reports.push(report);
    }
    await runner.end();
    return reports;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
    await deployment.stop();
  }
}

async function main(): Promise<void> {
  const options = readOptions(TARGETS);
  const reports: TargetReport[] = [];
  for (const name of options.deployments) reports.push(...(await fuzz(name, options)));
  process.exit(printSummary(reports) ? 0 : 1);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
