import { readdirSync, readFileSync } from "node:fs";

/** Where Linux lists the threads of this process. */
const THREADS = "/proc/self/task";
/** Names of the threads of the native library: workers, and those that wait for packets. */
const LIBRARY_THREAD = /^(?:RTC|juice)/;

/** Reads the threads of this process; replaced by tests. */
export interface ThreadFiles {
  ids(): string[];
  /** The file `status` of a thread (proc_pid_status(5)). @throws Error if the thread has ended */
  status(id: string): string;
  /** The file `stat` of a thread (proc_pid_stat(5)). @throws Error if the thread has ended */
  stat(id: string): string;
}

const files: ThreadFiles = {
  ids: () => readdirSync(THREADS),
  status: (id) => readFileSync(`${THREADS}/${id}/status`, "latin1"),
  stat: (id) => readFileSync(`${THREADS}/${id}/stat`, "latin1"),
};

/** The CPU time of a thread, in clock ticks. */
interface CpuTime {
  user: number;
  system: number;
}

/** The part of the CPU time that a thread that receives or sends packets spends in the kernel at least. */
const SYSTEM_SHARE = 0.05;

interface LibraryThread {
  /** Its voluntary context switches. */
  waits: string;
  /** Checks in a row in which it ran, and since the one before had neither waited nor called the kernel. */
  running: number;
  /** Its CPU time before the first of these checks. */
  before: CpuTime;
}

/**
 * Finds threads of the native library in an endless loop. A thread that works waits between two packets and for locks
 * many times a second; even if packets arrive faster than it handles them, it receives and sends them by system calls.
 * One in an endless loop runs at every check, never waits, and spends its time in its own code. On systems other than
 * Linux nothing is found: there, the loss of all threads is noticed by the media that does not pass any more.
 */
export class LibraryThreads {
  private known = new Map<string, LibraryThread | null>();

  constructor(private readonly source: ThreadFiles = files) {}

  /** Checks all threads. @returns the largest number of checks in a row in which one of them only ran its own code */
  check(): number {
    const known = new Map<string, LibraryThread | null>();
    for (const id of this.ids()) known.set(id, this.next(id, this.known.get(id)));
    this.known = known;
    return Math.max(0, ...[...known.values()].map((thread) => thread?.running ?? 0));
  }

  /** @param before what the last check found; null for a thread that is not the library's */
  private next(id: string, before: LibraryThread | null | undefined): LibraryThread | null {
    if (before === null) return null;
    const status = this.status(id);
    if (!LIBRARY_THREAD.test(field(status, "Name"))) return null;
    const waits = field(status, "voluntary_ctxt_switches");
    const now = this.cpuTime(id);
    const isRunning =
      field(status, "State").startsWith("R") &&
      waits === before?.waits &&
      isComputing(before.before, now);
    return isRunning
      ? { waits, running: before.running + 1, before: before.before }
      : { waits, running: 0, before: now };
  }

  private cpuTime(id: string): CpuTime {
    try {
      // Behind the name, which is in parentheses, fields 3 and later.
      const text = this.source.stat(id);
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return { user: Number(fields[11]), system: Number(fields[12]) };
    } catch {
      return { user: 0, system: 0 };
    }
  }

  private ids(): string[] {
    try {
      return this.source.ids();
    } catch {
      return [];
    }
  }

  private status(id: string): string {
    try {
      return this.source.status(id);
    } catch {
      return "";
    }
  }
}

/** Whether a thread has spent its time in its own code. A single tick in the kernel may be an interrupt's. */
function isComputing(before: CpuTime, now: CpuTime): boolean {
  const user = now.user - before.user;
  const system = now.system - before.system;
  return user > 0 && system <= Math.max(1, SYSTEM_SHARE * (user + system));
}

/** A field of a file `status`; empty if there is none. */
function field(status: string, name: string): string {
  const start = `\n${status}`.indexOf(`\n${name}:\t`);
  if (start < 0) return "";
  const value = status.slice(start + name.length + 2);
  return value.slice(0, value.indexOf("\n"));
}
