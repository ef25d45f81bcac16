import { Worker } from "node:worker_threads";

/** Time between two looks, in milliseconds. */
const LOOK_MS = 1_000;

/** Runs in a thread of its own, since that of the process may hang in the native library. */
const PROGRAM = `
const { workerData: { parent, milliseconds } } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, milliseconds);
`;

/**
 * Ends this process when its parent has ended, also if its own thread hangs: it would hold its port forever, so that the
 * next one could not open it.
 */
export function endWithParent(): void {
  const workerData = { parent: process.ppid, milliseconds: LOOK_MS };
  new Worker(PROGRAM, { eval: true, workerData, execArgv: [], env: {} }).unref();
}
