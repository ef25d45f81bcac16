import { toConferenceTables } from "../../bench/conference/conference-tables";
import type { ConferenceFigures } from "../../bench/conference/measure-conference";

const window = (size: number, engine: number, gateway: number) => ({
  size,
  seconds: 10,
  tracks: 2 * size * (size - 1),
  packets: 1_000 * size,
  missing: 0,
  cpu: { engine, gateway },
  memory: { engine: 100, gateway: 150 },
});
const join = (participant: number, firstFrame: number) => ({
  participant,
  firstFrame,
  allFrames: firstFrame + 100,
  seenByAll: 80,
});
const figuresOf = (way: "bare" | "gateway", more: Partial<ConferenceFigures>) => ({
  subject: { engine: "Janus" as const, way },
  joins: [],
  phases: [],
  steady: [],
  ...more,
});

describe("the tables of the benchmark of conferences", () => {
  const tables = toConferenceTables([
    figuresOf("bare", { steady: [window(12, 2_000_000, 0)] }),
    figuresOf("gateway", {
      steady: [window(0, 0, 60_000), window(4, 1_000_000, 80_000), window(12, 3_000_000, 120_000)],
      joins: [join(12, 900), join(12, 1_100), join(12, 200)],
      phases: [
        { size: 12, joins: 4, cpu: { engine: 300_000, gateway: 50_000 } },
        { size: 12, joins: 4, cpu: { engine: 500_000, gateway: 150_000 } },
      ],
    }),
  ]);
  const row = (name: string) =>
    tables
      .split("\n")
      .find((line) => line.startsWith(`| ${name} |`))
      ?.split("|")
      .map((cell) => cell.trim())
      .slice(2, -1);

  test("compare an engine with the bare one, and the gateway with its engine and with itself when idle", () => {
    expect(row("Janus, 12 participants")).toEqual([
      ...["264", "1,200", "0", "0.300", "1,136", "25.0", "1.50 ×"],
      ...["0.012", "4.0 %", "2.0 %", "100", "150", "met: ≤ 5 %"],
    ]);
    expect(row("Janus, 4 participants")?.slice(6)).toEqual([
      ...["", "0.008", "8.0 %", "2.0 %", "100", "150", "**missed**: ≤ 5 %"],
    ]);
    expect(row("Janus, no conference")?.filter(Boolean)).toEqual(["0.006", "150"]);
    expect(row("Janus, bare, 12 participants")?.slice(6)).toEqual(["", "", "", "", "100", "", ""]);
  });

  test("have the median and the maximum of the joins, whose CPU time is the mean", () => {
    expect(row("Janus, participant 12")).toEqual([
      ...["900 / 1,100", "1,000 / 1,200", "80 / 80", "100", "25.0", "25 %"],
      "**missed**: ≤ 1,000 ms",
    ]);
  });
});
