import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap in use, after everything that is unreachable has been collected. */
export function usedHeap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
