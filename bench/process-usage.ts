import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** What a process has used so far. */
export interface Usage {
  /** Microseconds of CPU, of all its threads, in user and kernel mode. */
  cpuMicros: number;
  /** Resident memory in megabytes of 2^20 bytes. */
  rssMb: number;
}

let ticks = 0;

/**
 * Reads a process's use from the kernel (proc(5): `stat` fields 14 and 15, `status` VmRSS).
 * @throws Error when there is no such process
 */
export function usageOf(pid: number): Usage {
  ticks ||= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program, field 2, stands in brackets and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return {
    cpuMicros: ((Number(fields[11]) + Number(fields[12])) / ticks) * 1e6,
    rssMb: Number(rss?.[1]) / 1024,
  };
}

/** What a process and all that it started have used so far. @throws Error when there is no such process */
export function usageOfTree(pid: number): Usage {
  const own = usageOf(pid);
  for (const child of childrenOf(pid)) {
    const { cpuMicros, rssMb } = usageOfTree(child);
    own.cpuMicros += cpuMicros;
    own.rssMb += rssMb;
  }
  return own;
}

/** A child is listed with the thread that started it (proc(5), `children`). */
function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
  return lists.join(" ").split(/\s+/).filter(Boolean).map(Number);
}
