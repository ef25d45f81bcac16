import { printProblem } from "../../../core/console";
import { type Log, openLog } from "../../../core/log";

/** A log of what a command does, in short form on standard error. */
export function progressLog(): Log {
  return openLog("info", { write: printProgress });
}

function printProgress(line: string): void {
  const { msg, migration } = JSON.parse(line) as { msg: string; migration?: string };
  printProblem(migration === undefined ? msg : `${msg}: ${migration}`);
}
