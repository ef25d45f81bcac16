import { resolve } from "node:path";
import type { Config } from "../config";
import { inspectDataFolder } from "./data-folder";
import { equalPorts, portProblem, portVariables } from "./ports";
import { type Problem, StartError } from "./start-error";

/**
 * Checks before anything is created that this machine lets the service start: its data folder and its ports.
 * @throws StartError with all problems
 */
export async function checkMachine(config: Config): Promise<void> {
  const equal = equalPorts(config);
  const folder = await inspectDataFolder(resolve(config.DATA_DIR));
  const ports = await Promise.all(
    equal === null ? portVariables(config).map((variable) => portProblem(variable, config)) : [],
  );
  const problems: (Problem | null)[] = ["detail" in folder ? folder : null, equal, ...ports];
  const found = problems.filter((each) => each !== null);
  if (found.length > 0) throw new StartError(found);
}
