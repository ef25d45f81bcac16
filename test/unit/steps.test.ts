import { startStep as startOfNode } from "../../src/core/console";

const { startStep: startOfBuild } = require("../../bin/steps.js");

/** What a build and the first start print about their steps. */

function output(isTTY: boolean) {
  const parts: string[] = [];
  return { isTTY, write: (part: string) => parts.push(part) > 0, text: () => parts.join("") };
}

test.each([
  ["a build", startOfBuild, "Compiling 2 changed sources …"],
  ["a node", startOfNode, "Compiling 2 changed sources"],
])("%s says on a terminal how long a step took", (_, startStep, step) => {
  const terminal = output(true);
  let now = 1_000;
  const done = startStep(step, terminal, () => now);
  expect(terminal.text()).toBe("Compiling 2 changed sources …\n");
  now += 12_340;
  done("Compiled 2 changed sources");
  expect(terminal.text()).toBe(
    "Compiling 2 changed sources …\n  Compiled 2 changed sources in 12.3 s.\n",
  );
});

test("elsewhere a build only names its steps, and a node is silent", () => {
  const [build, node] = [output(false), output(false)];
  startOfBuild("Compiling 2 changed sources …", build)("Compiled 2 changed sources");
  startOfNode("Creating the database", node)("Created the database");
  expect([build.text(), node.text()]).toEqual(["Compiling 2 changed sources …\n", ""]);
});
