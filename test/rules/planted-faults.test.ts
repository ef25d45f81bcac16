import { join } from "node:path";
import { findPlace, sourcesOf } from "../../tools/planted-faults/fault";
import { FAULTS } from "../../tools/planted-faults/faults";

/** Every fault of npm run planted-faults has exactly one place in the sources, which it changes. */

const ROOT = join(__dirname, "../..");
const sources = sourcesOf(ROOT);

test.each(FAULTS.map((fault) => [fault.name, fault] as const))("%s has one place", (_, fault) => {
  const { original, planted } = findPlace(ROOT, fault, sources);
  expect(planted).not.toBe(original);
});

test("the names of the faults differ", () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});
