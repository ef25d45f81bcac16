import { Writable } from "node:stream";
import { openLog, WARNING_MS, warnRarely } from "../../src/core/log";
import { formatLogLine } from "../../src/core/log-lines";

/** A stand-in for standard output. */
function terminal(colors: boolean) {
  const lines: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, output: Object.assign(output, { isTTY: true, hasColors: () => colors }) };
}

const format = (fields: object, colors = false) =>
  formatLogLine(`${JSON.stringify({ level: 30, time: 0, ...fields })}\n`, colors);

describe("on a terminal", () => {
  test("a line has the time, the level, the message and the other fields", () => {
    const { lines, output } = terminal(false);
    const log = openLog("info", undefined, output as unknown as NodeJS.WriteStream);
    log.info({ folder: ".data/db", count: 2, why: "two words" }, "opening the database");
    log.debug("not shown");
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d INFO {2}opening the database folder=\.data\/db count=2 why="two words"\n$/,
      ),
    ]);
  });

  test("the stack of an error is below its line", () => {
    const { lines, output } = terminal(false);
    const log = openLog("info", undefined, output as unknown as NodeJS.WriteStream);
    log.error({ err: new TypeError("broken") }, "a request failed");
    expect(lines.join("")).toMatch(
      /ERROR a request failed\n {4}TypeError: broken\n {4}at .*log\.test\.ts.*\n/,
    );
  });

  test("secrets are redacted", () => {
    const { lines, output } = terminal(false);
    const log = openLog("info", undefined, output as unknown as NodeJS.WriteStream);
    log.info({ password: "hunter2" }, "signed in");
    expect(lines.join("")).toMatch(/password=\[secret\]/);
    expect(lines.join("")).not.toContain("hunter2");
  });

  test("control characters of logged texts cannot reach the terminal", () => {
    const hostile = "a\u001b[2Jb\u009bc\u202ed\ne";
    const text = format({ msg: hostile, path: hostile, [hostile]: 1, err: { message: hostile } });
    expect(text.split("\n")).toHaveLength(4);
    expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
  });

  test("colours mark the level, if the terminal has them", () => {
    const warning = { level: 40, msg: "careful" };
    expect(format(warning, true)).toContain("\u001b[33mWARN \u001b[0m careful");
    expect(format(warning)).toContain(" WARN  careful\n");
  });

  test("a text that is no line of the log is left alone", () => {
    expect(formatLogLine("something else\n", true)).toBe("something else\n");
  });
});

test("elsewhere the log is JSON", () => {
  const lines: string[] = [];
  openLog("info", { write: (line) => void lines.push(line) }).info({ count: 2 }, "ready");
  expect(JSON.parse(lines.join(""))).toMatchObject({ level: 30, count: 2, msg: "ready" });
});

test("what each request of a client may meet is one warning in ten seconds for each message", () => {
  const lines: Array<{ level: number; msg: string }> = [];
  const log = openLog("debug", { write: (line) => void lines.push(JSON.parse(line)) });
  for (let n = 0; n < 1_000; n += 1) warnRarely(log, { n }, "the database is down", 5);
  warnRarely(log, {}, "the bus is down", 5);
  warnRarely(log, {}, "the database is down", 5 + WARNING_MS);
  expect(lines).toHaveLength(1_002);
  expect(lines.filter(({ level }) => level > 30).map(({ msg }) => msg)).toEqual([
    "the database is down",
    "the bus is down",
    "the database is down",
  ]);
});
