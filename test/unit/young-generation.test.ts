import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(__dirname, "../..");

/** Reports the size of the young generation in MB, after each of two times that many objects have survived. */
const PROGRAM = `
const { getHeapSpaceStatistics } = require("node:v8");
const size = () =>
  getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size / 2 ** 20;
const allocate = () => {
  let kept = [];
  for (let n = 0; n < 3_000_000; n++) {
    kept.push({ n, list: [n] });
    if (kept.length > 50_000) kept = [];
  }
};
const { letYoungGenerationGrow } = require(process.argv[1]);
allocate();
const starting = size();
letYoungGenerationGrow();
allocate();
console.log(JSON.stringify({ starting, ready: size() }));`;

describe("the young generation", () => {
  test("stays small during the start, and grows with the load afterwards", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "-r",
      join(ROOT, "tools/run-typescript.js"),
      "-e",
      PROGRAM,
      join(ROOT, "src/core/startup/young-generation.ts"),
    ]);
    const { starting, ready } = JSON.parse(stdout) as Record<string, number>;
    expect(starting).toBeLessThanOrEqual(4);
    expect(ready).toBeGreaterThanOrEqual(16);
  });

  test("is kept small before any package is loaded", () => {
    const main = readFileSync(join(ROOT, "src/main.ts"), "utf8");
    expect(main.split("\n")[1]).toBe('import "./core/startup/young-generation";');
  });
});
