import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The resource usage of a process so far. */
export interface Usage {
  /** CPU time of all threads in user and kernel mode, in microseconds. */
  cpuMicros: number;
  /** Resident memory in MiB. */
  rssMb: number;
}

let ticks = 0;

/**
 * Reads the usage of a process (proc(5): `stat` fields 14 and 15, `status` VmRSS).
 * @throws Error if the process does not exist
 */
export function usageOf(pid: number): Usage {
  ticks ||= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Field 2, the name of the program, is in parentheses and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return {
    cpuMicros: ((Number(fields[11]) + Number(fields[12])) / ticks) * 1e6,
    rssMb: Number(rss?.[1]) / 1024,
  };
}

/** The usage of a process and all its descendants. @throws Error if the process does not exist */
export function usageOfTree(pid: number): Usage {
  const own = usageOf(pid);
  for (const child of childrenOf(pid)) {
    const { cpuMicros, rssMb } = usageOfTree(child);
    own.cpuMicros += cpuMicros;
    own.rssMb += rssMb;
  }
  return own;
}

/** The children of all threads of a process (proc(5), `children`). */
function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
  return lists.join(" ").split(/\s+/).filter(Boolean).map(Number);
}
