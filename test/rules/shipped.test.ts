import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is shipped has passed its tests, which take too long to run each time. */

const ROOT = join(__dirname, "../..");
const { shippedHashes, passedHashes } = require("../support/ship/record.js") as Record<
  "shippedHashes" | "passedHashes",
  () => Record<string, string>
>;

test("the record names each file of test/ship", () => {
  const files = readdirSync(join(ROOT, "test/ship")).filter((name) => name.endsWith(".test.ts"));
  const expected = files.map((name) => `test/ship/${name}`).sort();
  expect(Object.keys(shippedHashes()).sort()).toEqual(expected);
  expect(Object.keys(passedHashes()).sort()).toEqual(expected);
});

test.each(Object.entries(shippedHashes()))("%s has passed with what is there now", (file, hash) => {
  const passed = passedHashes()[file] === hash;
  expect(passed ? "" : `run npm run test:ship -- ${file}, and commit test/ship/passed.json`).toBe(
    "",
  );
});

describe("the Dockerfile", () => {
  /** Instructions with continued lines joined, by stage. */
  const stages = readFileSync(join(ROOT, "Dockerfile"), "utf8")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /^([A-Z]+) +(.+)$/.exec(line)?.slice(1) ?? [line, ""])
    .reduce<string[][][]>((all, line) => {
      if (line[0] === "FROM") all.push([]);
      all.at(-1)?.push(line);
      return all;
    }, []);
  const last = stages.at(-1) ?? [];
  const valuesOf = (name: string) => last.filter(([found]) => found === name).map(([, v]) => v);

  test("has instructions that Docker knows, and names its base images with their registry", () => {
    const known =
      /^(CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|STOPSIGNAL|USER|VOLUME|WORKDIR)$/;
    expect(stages.flat().filter(([name = ""]) => !known.test(name))).toEqual([]);
    const bases = stages.map(([from]) => from?.[1]);
    for (const base of bases)
      expect(base).toMatch(/^docker\.io\/library\/[a-z]+:[\w.-]+( AS \w+)?$/);
  });

  test("copies into the image only what an earlier stage has made", () => {
    expect(valuesOf("COPY").length).toBeGreaterThan(0);
    for (const copy of valuesOf("COPY")) expect(copy).toMatch(/^--from=build \/\S+ \/\S+$/);
  });

  test("ends as a user without rights, with a volume, a stop signal and a health check", () => {
    const names = last.map(([name]) => name);
    expect(valuesOf("USER")).toEqual(["10001:10001"]);
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"));
    expect(valuesOf("VOLUME")).toEqual(["/data"]);
    expect(valuesOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(valuesOf("HEALTHCHECK")).toHaveLength(1);
    expect(valuesOf("ENV").join(" ")).toBe("NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data");
  });
});
