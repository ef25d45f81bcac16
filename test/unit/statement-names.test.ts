import { StatementNames } from "../../src/platform/store/statement-names";

test("each text of a statement has one name, and a statement that is planned for its values has none", () => {
  const names = new StatementNames();
  const one = names.nameFor({ name: "list", text: "SELECT 1" });
  const other = names.nameFor({ name: "list", text: "SELECT 2" });
  expect(one).toMatch(/^list:/);
  expect(other).not.toBe(one);
  expect(names.nameFor({ name: "list", text: "SELECT 1" })).toBe(one);
  expect(names.nameFor({ name: "list", text: "SELECT 3", unprepared: true })).toBeUndefined();
});
