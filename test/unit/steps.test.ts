const { startStep } = require("../../bin/steps.js");

/** What a build prints about its steps. */

function output(isTTY: boolean) {
  const parts: string[] = [];
  return { isTTY, write: (part: string) => parts.push(part) > 0, text: () => parts.join("") };
}

/** Runs a step of 12.34 s. */
function compile(isTTY: boolean): string {
  const shown = output(isTTY);
  let now = 1_000;
  const done = startStep("Compiling 2 changed sources …", shown, () => now);
  expect(shown.text()).toBe("Compiling 2 changed sources …\n");
  now += 12_340;
  done("Compiled 2 changed sources");
  return shown.text();
}

test("on a terminal a build says how long a step took", () => {
  expect(compile(true)).toBe(
    "Compiling 2 changed sources …\n  Compiled 2 changed sources in 12.3 s.\n",
  );
});

test("elsewhere a build only names its steps", () => {
  expect(compile(false)).toBe("Compiling 2 changed sources …\n");
});
