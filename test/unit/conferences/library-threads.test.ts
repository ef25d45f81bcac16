import {
  LibraryThreads,
  type ThreadFiles,
} from "../../../src/domain/conferences/engine/embedded/sfu/library-threads";

/** Which threads count as stuck, by what Linux says of them. */

/** The CPU time is that since the moment before, in clock ticks. */
type Thread = [name: string, state: string, waits: number, user?: number, system?: number];

class FakeFiles implements ThreadFiles {
  threads = new Map<string, Thread>();
  private readonly times = new Map<string, [user: number, system: number]>();

  ids(): string[] {
    return [...this.threads.keys()];
  }

  status(id: string): string {
    const thread = this.threads.get(id);
    if (!thread) throw new Error("ESRCH");
    const [name, state, waits] = thread;
    // Each check reads it once.
    const [, , , user = 40, system = 0] = thread;
    const [userBefore, systemBefore] = this.times.get(id) ?? [1_000, 500];
    this.times.set(id, [userBefore + user, systemBefore + system]);
    return `Name:\t${name}\nUmask:\t0022\nState:\t${state}\nvoluntary_ctxt_switches:\t${waits}\nnonvoluntary_ctxt_switches:\t9\n`;
  }

  stat(id: string): string {
    const [name, state] = this.threads.get(id) ?? ["", ""];
    const [user, system] = this.times.get(id) ?? [0, 0];
    return `${id} (${name}) ${state[0]} 1 1 1 0 -1 4194368 10 0 0 0 ${user} ${system} 0 0 20 0 11 0 100\n`;
  }
}

let files: FakeFiles;
let threads: LibraryThreads;
beforeEach(() => {
  files = new FakeFiles();
  threads = new LibraryThreads(files);
});

/** What is found while a thread runs through these moments. */
const found = (moments: Thread[]) =>
  moments.map((moment) => {
    files.threads.set("7", moment);
    return threads.check();
  });

test("a worker that runs at every check and never waits is stuck from the second check on", () => {
  const moment: Thread = ["RTC worker", "R (running)", 12];
  expect(found([moment, moment, moment, moment])).toEqual([0, 1, 2, 3]);
});

test("a busy worker waits between packets", () => {
  expect(
    found([
      ["RTC worker", "R (running)", 1],
      ["RTC worker", "R (running)", 2],
      ["RTC worker", "R (running)", 2],
      ["RTC worker", "R (running)", 3],
    ]),
  ).toEqual([0, 0, 1, 0]);
});

test("a worker whose packets arrive faster than it handles them receives them by system calls", () => {
  const moment: Thread = ["juice mux (1)", "R (running)", 12, 30, 8];
  expect(found([moment, moment, moment, moment, moment])).toEqual([0, 0, 0, 0, 0]);
});

test("a worker that a busy machine does not let run is not stuck", () => {
  const moment: Thread = ["RTC worker", "R (running)", 12, 0, 0];
  expect(found([moment, moment, moment])).toEqual([0, 0, 0]);
});

test("an idle worker sleeps", () => {
  const moment: Thread = ["RTC worker", "S (sleeping)", 12];
  expect(found([moment, moment, moment])).toEqual([0, 0, 0]);
});

test("threads that are not the library's do not count", () => {
  const moment: Thread = ["node", "R (running)", 12];
  expect(found([moment, moment, moment])).toEqual([0, 0, 0]);
});

test("a thread that ends, and a system without such files, are no failure", () => {
  files.threads.set("7", ["juice mux", "R (running)", 1]);
  threads.check();
  files.status = () => {
    throw new Error("ESRCH");
  };
  expect(threads.check()).toBe(0);
  files.ids = () => {
    throw new Error("ENOENT");
  };
  expect(threads.check()).toBe(0);
});
