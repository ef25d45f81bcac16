import { mentions, readChangelog, releaseEntries } from "../../scripts/release/changelog";
import {
  type Differences,
  type Files,
  findDifferences,
} from "../../scripts/release/public-interface";
import { isLater, nextVersion, readVersion, type Version } from "../../scripts/release/versions";

/** What `npm run release` sees of the public interface, of the changelog and of versions. */

/** The differences of versions with one file each. */
function differences(path: string, before: string, after: string): Promise<Differences> {
  const having =
    (text: string) =>
    async (wanted: string): Promise<Files> =>
      new Map(path.startsWith(wanted) ? [[path, text]] : []);
  return findDifferences(having(before), having(after));
}

const TABLE = "| option | required | what it does |\n|---|---|---|\n";
const openApi = (operation: object, schemas: object = {}) =>
  JSON.stringify({ paths: { "/users": { get: operation } }, components: { schemas } });
const answering = (schema: object) => ({
  responses: { 200: { description: "Yes", content: { "application/json": { schema } } } },
});
const taking = (parameters: object[]) => ({ parameters, responses: {} });
const LIMIT = { name: "limit", in: "query", description: "At most", schema: { type: "integer" } };
const sending = {
  requestBody: {
    content: { "application/json": { schema: { $ref: "#/components/schemas/New" } } },
  },
  responses: {},
};

test.each<[string, string, string, string, string[], string[]]>([
  [
    "a new field, which its new arguments belong to",
    "schema/schema.graphql",
    "type Query { a: Int }",
    "type Query { a: Int b(c: Int!): Int }",
    ["GraphQL: added Query.b"],
    [],
  ],
  [
    "a removed type, which its fields belong to",
    "schema/schema.graphql",
    "type Query { a: Int } type T { b: Int }",
    "type Query { a: Int }",
    ["GraphQL: removed T"],
    ["GraphQL: T was removed."],
  ],
  [
    "a required argument of a field that both have",
    "schema/schema.graphql",
    "type Query { a: Int }",
    "type Query { a(b: Int!): Int }",
    ["GraphQL: added Query.a.b"],
    ["GraphQL: A required arg b on Query.a was added."],
  ],
  [
    "a field that is never null any more, which breaks nobody",
    "schema/schema.graphql",
    "type Query { a: Int }",
    "type Query { a: Int! }",
    ["GraphQL: changed Query.a"],
    [],
  ],
  [
    "a value, and a field that is deprecated",
    "schema/schema.graphql",
    "type Query { a: E } enum E { A }",
    'type Query { a: E @deprecated(reason: "old") } enum E { A B }',
    ["GraphQL: added E.B", "GraphQL: changed Query.a"],
    [],
  ],
  [
    "another type in a union",
    "schema/schema.graphql",
    "type Query { a: U } type T { b: Int } type V { b: Int } union U = T | V",
    "type Query { a: U } type T { b: Int } type V { b: Int } union U = T",
    ["GraphQL: changed U"],
    ["GraphQL: V was removed from union type U."],
  ],
  [
    "a description",
    "schema/schema.graphql",
    '"old" type Query { "old" a("old" b: Int): Int }',
    '"new" type Query { "new" a("new" b: Int): Int }',
    [],
    [],
  ],
  [
    "a parameter that may be left out",
    "schema/openapi.json",
    openApi(taking([])),
    openApi(taking([LIMIT])),
    ["REST: added GET /users query limit"],
    [],
  ],
  [
    "a parameter that may not be left out",
    "schema/openapi.json",
    openApi(taking([])),
    openApi(taking([{ ...LIMIT, required: true }])),
    ["REST: added GET /users query limit"],
    ["REST: added the required GET /users query limit"],
  ],
  [
    "a parameter of another type",
    "schema/openapi.json",
    openApi(taking([LIMIT])),
    openApi(taking([{ ...LIMIT, schema: { type: "string" } }])),
    ["REST: changed GET /users query limit"],
    ["REST: changed GET /users query limit"],
  ],
  [
    "a property of an answer, and texts",
    "schema/openapi.json",
    openApi(answering({ properties: { a: { type: "string" } }, required: ["a"] })),
    openApi(
      answering({
        description: "New",
        properties: { a: { type: "string", example: "x" }, b: { type: "string" } },
        required: ["a", "b"],
      }),
    ),
    ["REST: added GET /users 200 application/json.b"],
    [],
  ],
  [
    "a removed property with the name of a text",
    "schema/openapi.json",
    openApi(answering({ properties: { title: { type: "string" }, b: { type: "string" } } })),
    openApi(answering({ properties: { b: { type: "string" } } })),
    ["REST: removed GET /users 200 application/json.title"],
    ["REST: removed GET /users 200 application/json.title"],
  ],
  [
    "a required property of a body",
    "schema/openapi.json",
    openApi(sending, { New: { properties: {} } }),
    openApi(sending, { New: { properties: { a: { type: "string" } }, required: ["a"] } }),
    ["REST: added New.a"],
    ["REST: added the required New.a"],
  ],
  [
    "a removed path",
    "schema/openapi.json",
    openApi(taking([LIMIT])),
    JSON.stringify({ paths: {} }),
    ["REST: removed GET /users"],
    ["REST: removed GET /users"],
  ],
  [
    "a signal",
    "schema/xmpp/hang-up.xml",
    "<message a='1'/>",
    "<message a='2'/>",
    ["XMPP: changed hang-up"],
    ["XMPP: changed hang-up"],
  ],
  [
    "settings: a default, a new one and a removed one",
    ".env.example",
    "# About A.\n# A=1\n\n# About B.\n# B=",
    "# All about A.\n# A=2\n\n# About C.\n# C=",
    ["settings: removed B", "settings: added C", "settings: changed A"],
    ["settings: removed B"],
  ],
  [
    "a new command with a required option",
    "docs/COMMANDS.md",
    "## user list\n",
    `## user list\n\n## user show <id>\n\n${TABLE}| \`-a, --app <id>\` | yes | New. |\n`,
    ["commands: added user show"],
    [],
  ],
  [
    "a required option of a command that both have",
    "docs/COMMANDS.md",
    "## user list\n",
    `## user list\n\n${TABLE}| \`-a, --app <id>\` | yes | New. |\n| \`--all\` | no | New. |\n`,
    ["commands: added user list --app", "commands: added user list --all"],
    ["commands: added the required user list --app"],
  ],
  [
    "an option of all commands",
    "docs/COMMANDS.md",
    `${TABLE}| \`--url <url>\` | no | Old. |\n\n## a\n`,
    "## a\n",
    ["commands: removed --url"],
    ["commands: removed --url"],
  ],
  [
    "metrics: values of a label, another label, another text",
    "docs/METRICS.md",
    "| `a_total` | counter | number | `x`: `1` | Old. |\n| `b` | gauge | number | none | Old. |\n",
    "| `a_total` | counter | number | `x`: `1`, `2` | New. |\n| `b` | gauge | number | `y`: all | Old. |\n",
    ["metrics: changed b"],
    ["metrics: changed b"],
  ],
])("finds %s", async (_, path, before, after, changes, breaking) => {
  const found = await differences(path, before, after);
  expect(found.changes.map(({ text }) => text)).toEqual(changes);
  expect(found.breaking).toEqual(breaking);
});

test("a part that the earlier version had no file of is not compared", async () => {
  const none = async () => new Map<string, string>();
  const now = async (path: string) => new Map([[path, "## a\n"]]);
  const parts = async (path: string) => (path === "docs/COMMANDS.md" ? now(path) : none());
  expect(await findDifferences(none, parts)).toEqual({ changes: [], breaking: [] });
  await expect(findDifferences(parts, none)).rejects.toThrow("docs/COMMANDS.md is missing");
});

test("the changelog names a signal, an option and a command as users write them", async () => {
  const mentioned = async (path: string, before: string, after: string) =>
    (await differences(path, before, after)).changes.map(({ mention }) => mention);
  expect(await mentioned("schema/xmpp/hang-up.xml", "<a/>", "<b/>")).toEqual(["hangUp"]);
  const option = `## user list\n\n${TABLE}| \`-a, --app-id <id>\` | no | New. |\n`;
  expect(await mentioned("docs/COMMANDS.md", "## user list\n", option)).toEqual(["--app-id"]);
  expect(await mentioned("docs/COMMANDS.md", "", "## user list\n")).toEqual(["user list"]);
});

test.each([
  ["the field `user` goes", "user", true],
  ["the field user goes", "user", false],
  ["`users` and `superuser`", "user", false],
  ["`user list --app <id>`", "--app", true],
  ["`user list --app <id>`", "user list", true],
  ["`user list --app-id <id>`", "--app", false],
  ["`user list --app-id <id> --app <id>`", "--app", true],
  ["`Query.user(id:)`", "user", true],
  ["`a` user `b`", "user", false],
])("in %j, %j is named: %j", (text, name, named) => {
  expect(mentions(text, name)).toBe(named);
});

describe("the changelog", () => {
  const TEXT =
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- Two.\n";

  test("keeps its head and its releases", () => {
    const changelog = readChangelog(TEXT);
    expect(changelog?.unreleased).toBe("### Added\n\n- One.");
    expect(releaseEntries(changelog!, "0.2.0", "2026-02-02")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-02\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- Two.\n",
    );
  });

  test("may have no release, no entries, or no part for the next one", () => {
    const first = readChangelog("# Changelog\n\n## [Unreleased]\n\n- One.\n");
    expect(releaseEntries(first!, "0.1.0", "2026-02-02")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-02-02\n\n- One.\n",
    );
    expect(readChangelog("## [Unreleased]\n\n## [0.1.0]\n")?.unreleased).toBe("");
    expect(readChangelog("# Changelog\n")).toBeNull();
  });
});

test.each([
  "1.2",
  "1.2.3-rc.1",
  "v1.2.3",
  "01.2.3",
  "1.2.3\n",
  "1.2.1234567",
  "",
])("%j is no version", (text) => {
  expect(readVersion(text)).toBeNull();
});

test.each<[Version, Version, boolean]>([
  [[1, 0, 0], [0, 9, 9], true],
  [[0, 2, 0], [0, 1, 9], true],
  [[0, 1, 10], [0, 1, 9], true],
  [[0, 1, 9], [0, 1, 9], false],
  [[0, 1, 9], [1, 0, 0], false],
])("%j is later than %j: %j", (version, than, later) => {
  expect(isLater(version, than)).toBe(later);
});

test.each<[string, "breaking" | "added" | "none", Version]>([
  ["1.2.3", "breaking", [2, 0, 0]],
  ["1.2.3", "added", [1, 3, 0]],
  ["1.2.3", "none", [1, 2, 4]],
  ["0.2.3", "breaking", [0, 3, 0]],
  ["0.2.3", "added", [0, 2, 4]],
  ["0.2.3", "none", [0, 2, 4]],
])("after %s, a version with the changes %s is at least %j", (version, changes, least) => {
  expect(nextVersion(readVersion(version)!, changes)).toEqual(least);
});
