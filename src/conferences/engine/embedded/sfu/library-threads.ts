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
}

const files: ThreadFiles = {
  ids: () => readdirSync(THREADS),
  status: (id) => readFileSync(`${THREADS}/${id}/status`, "latin1"),
};

interface LibraryThread {
  /** Times that it has waited of its own accord. */
  waits: string;
  /** Checks in a row in which it ran and had not waited since the one before. */
  running: number;
}

/**
 * Finds threads of the native library in an endless loop. A thread that works waits between two packets and for locks
 * many times a second. One in an endless loop runs at every check, and never waits. On systems other than Linux nothing
 * is found: there, the loss of all threads is noticed by the media that does not pass any more.
 */
export class LibraryThreads {
  private known = new Map<string, LibraryThread | null>();

  constructor(private readonly source: ThreadFiles = files) {}

  /** Checks all threads. @returns the largest number of checks in a row in which one of them never waited */
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
    const isRunning = field(status, "State").startsWith("R") && waits === before?.waits;
    return { waits, running: isRunning ? before.running + 1 : 0 };
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

/** A field of a file `status`; empty if there is none. */
function field(status: string, name: string): string {
  const start = `\n${status}`.indexOf(`\n${name}:\t`);
  if (start < 0) return "";
  const value = status.slice(start + name.length + 2);
  return value.slice(0, value.indexOf("\n"));
}
