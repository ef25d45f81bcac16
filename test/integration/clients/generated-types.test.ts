import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFrontend, type Frontend } from "../../support/published-clients/frontend";

/**
 * Sources that must and must not compile with the types that graphql-codegen generates from the schema, by the
 * configuration of docs/CODEGEN.md. Below a comment `@ts-expect-error` is a line that must not, for the given reason.
 */

const SOURCES = join(__dirname, "app");
const FILES = readdirSync(join(SOURCES, "types"));
const DIRECTIVE = /^\s*\/\/ @ts-expect-error (.+)$/;

const sourceOf = (file: string) => readFileSync(join(SOURCES, "types", file), "utf8");

const sdl = readFileSync(join(__dirname, "../../../schema/schema.graphql"), "utf8");

let frontend: Frontend;
beforeAll(async () => {
  frontend = await createFrontend(SOURCES, sdl);
});
afterAll(() => frontend.remove());

test("the expected errors, and no others, are reported with their reasons", () => {
  // The compiler ignores the text after its directive, so it is made a plain comment here.
  for (const file of FILES) {
    const text = sourceOf(file).replaceAll("@ts-expect-error", "expected:");
    writeFileSync(join(frontend.folder, "src/types", file), text);
  }
  const problems = frontend.check(FILES.map((file) => `types/${file}`));
  const expected = FILES.flatMap((file) =>
    sourceOf(file)
      .split("\n")
      .flatMap((line, index) => {
        const [, reason] = DIRECTIVE.exec(line) ?? [];
        return reason ? [{ file: `types/${file}`, line: index + 2, text: reason }] : [];
      }),
  );
  expect(problems).toEqual(
    expected.map((each) => ({ ...each, text: expect.stringContaining(each.text) })),
  );
});

test("the examples of docs/CODEGEN.md compile", () => {
  expect(frontend.examples.length).toBeGreaterThan(0);
  expect(frontend.check(["../codegen.ts", ...frontend.examples])).toEqual([]);
});

test("the types are the same for clients that take parsed documents", async () => {
  const parsed = await createFrontend(SOURCES, sdl, { config: {} });
  // What the file has after its imports and before its documents.
  const types = (folder: string) => {
    const text = readFileSync(join(folder, "src/gql/graphql.ts"), "utf8");
    const [first = "", ...others] = text.split(/^export (?:class|const \w+Document) /m);
    expect(others.length).toBeGreaterThan(0);
    return first.replace(/^import .+$/m, "").trim();
  };
  try {
    expect(types(parsed.folder)).toEqual(types(frontend.folder));
    expect(parsed.check(["operations.ts", "types/received.ts", "types/push.ts"])).toEqual([]);
  } finally {
    parsed.remove();
  }
});
