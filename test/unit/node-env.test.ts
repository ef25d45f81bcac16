import { readFileSync } from "node:fs";
import { join } from "node:path";

describe("NODE_ENV", () => {
  const before = process.env.NODE_ENV;
  afterEach(() => {
    process.env.NODE_ENV = before;
  });

  test.each([
    [undefined, "production"],
    ["", "production"],
    ["development", "development"],
  ])("that is %j becomes %j", (given, expected) => {
    if (given === undefined) Reflect.deleteProperty(process.env, "NODE_ENV");
    else process.env.NODE_ENV = given;
    jest.isolateModules(() => require("../../src/core/startup/node-env"));
    expect(process.env.NODE_ENV).toBe(expected);
  });

  test("is set before any package is loaded", () => {
    const main = readFileSync(join(__dirname, "../../src/main.ts"), "utf8");
    expect(main.split("\n")[0]).toBe('import "./core/startup/node-env";');
  });
});
