import { buildSchema, isInputObjectType } from "graphql";
import {
  joinTargets,
  RECORDED_MAX,
  recordInput,
  recordResult,
} from "../../src/domain/audit/entries/recorded-input";
import { signalboxSchema } from "../../src/transports/graphql/schema";

const schema = buildSchema(`
  scalar JSON
  scalar DateTime
  enum Color { RED GREEN }
  input Inner { text: String known: String number: Int secret: JSON }
  input Act {
    applicationId: ID!
    userIds: [ID!]
    text: String
    known: String
    names: [String!]
    number: Int
    part: Float
    flag: Boolean
    color: Color
    colors: [Color!]
    at: DateTime
    inner: Inner
    inners: [Inner!]
    json: JSON
    grid: [[Int!]!]
  }
  type User { id: ID! name: String }
  type Detail { text: String }
  type Payload { user: User users: [User!] detail: Detail deletedApplicationId: ID token: String }
  type Query { a: Int }
  type Mutation { act(input: Act!, other: Boolean): Payload }
`);
const field = schema.getMutationType()?.getFields().act;
if (!field) throw new Error("no mutation");
for (const name of ["Act", "Inner"]) {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  for (const each of ["known", "names"]) {
    const audited = type.getFields()[each];
    if (audited) audited.extensions = { audited: true };
  }
}
const record = (input: object, more: object = {}) => recordInput(field.args, { input, ...more });
const fieldOf = (input: object) => record(input).fields;

describe("what an entry has of the input", () => {
  test("ids are targets", () => {
    expect(record({ applicationId: "5" })).toEqual({
      targets: [{ name: "applicationId", id: "5" }],
      fields: [],
    });
    const uuid = "0190f3a2-1111-7222-8333-444455556666";
    expect(record({ applicationId: uuid }).targets).toEqual([{ name: "applicationId", id: uuid }]);
  });

  test.each([
    "a secret",
    "1 2",
    "-5",
    "",
    "0x1",
    "9".repeat(40),
  ])("%j is no id, so that only the name is recorded", (text) => {
    expect(record({ applicationId: text })).toEqual({
      targets: [],
      fields: [{ name: "applicationId", value: null, cleared: false }],
    });
  });

  test("a list of ids is recorded with its number, and up to 100 of them", () => {
    const userIds = Array.from({ length: 1000 }, (_, n) => String(n + 1));
    const { targets, fields } = record({ userIds });
    expect(targets).toHaveLength(RECORDED_MAX);
    expect(targets[99]).toEqual({ name: "userIds", id: "100" });
    expect(fields).toEqual([{ name: "userIds", value: "1000", cleared: false }]);
  });

  test.each([
    ["number", 7, "7"],
    ["part", 0.5, "0.5"],
    ["flag", false, "false"],
    ["color", "GREEN", "GREEN"],
    ["colors", ["RED", "GREEN"], "RED, GREEN"],
  ])("the value of %s is recorded", (name, value, text) => {
    expect(fieldOf({ [name]: value })).toEqual([{ name, value: text, cleared: false }]);
  });

  test.each(["text", "json", "grid"])("of %s the name alone is recorded", (name) => {
    const value = { text: "secret", json: { a: "secret" }, grid: [[1]] }[name];
    expect(fieldOf({ [name]: value })).toEqual([{ name, value: null, cleared: false }]);
  });

  test("a declared text is recorded, shortened, unless it cannot be stored", () => {
    expect(fieldOf({ known: "x".repeat(300) })).toEqual([
      { name: "known", value: "x".repeat(200), cleared: false },
    ]);
    for (const known of ["a\0b", "\ud800", "\uffff"]) {
      expect(fieldOf({ known })).toEqual([{ name: "known", value: null, cleared: false }]);
    }
    const names = Array.from({ length: 30 }, (_, n) => `n${n}`);
    expect(fieldOf({ names })[0]?.value).toMatch(/^n0, n1, .*, n19, … \(30\)$/);
  });

  test("null is distinguished from a field that is not given", () => {
    expect(fieldOf({ text: null, inner: null, number: undefined })).toEqual([
      { name: "text", value: null, cleared: true },
      { name: "inner", value: null, cleared: true },
    ]);
  });

  test("nested fields have paths, and objects in a list share their names", () => {
    const inner = { text: "secret", known: "k", number: 1 };
    const names = (prefix: string, known: string | null) => [
      { name: `${prefix}.text`, value: null, cleared: false },
      { name: `${prefix}.known`, value: known, cleared: false },
      { name: `${prefix}.number`, value: "1", cleared: false },
    ];
    expect(fieldOf({ inner })).toEqual(names("inner", "k"));
    expect(fieldOf({ inners: [inner, inner] })).toEqual(names("inners", "k"));
  });

  test("arguments beside the input are recorded by their names", () => {
    expect(record({}, { other: true }).fields).toEqual([
      { name: "other", value: "true", cleared: false },
    ]);
  });
});

describe("what an entry has of the result", () => {
  test("only the ids of its objects", () => {
    const user = (id: number) => ({ id, name: "secret" });
    const result = {
      user: user(7),
      users: [user(8), null, user(9)],
      detail: { text: "secret" },
      deletedApplicationId: "5",
      token: "secret",
    };
    expect(recordResult(field.type, result)).toEqual([
      { name: "userId", id: "7" },
      { name: "userId", id: "8" },
      { name: "userId", id: "9" },
      { name: "deletedApplicationId", id: "5" },
    ]);
    expect(recordResult(field.type, null)).toEqual([]);
  });

  test("each object once", () => {
    const input = [{ name: "applicationId", id: "5" }];
    const result = [
      { name: "applicationId", id: "5" },
      { name: "userId", id: "5" },
      { name: "deletedApplicationId", id: "5" },
    ];
    expect(joinTargets(input, result)).toEqual([...input, { name: "userId", id: "5" }]);
    const [object, application] = [
      { name: "id", id: "7" },
      { name: "applicationId", id: "7" },
    ];
    const found = [{ name: "pushEventId", id: "7" }, application];
    expect(joinTargets([object], found)).toEqual([object, application]);
  });
});

test("exactly these texts of the schema are declared harmless", () => {
  const declared = Object.values(signalboxSchema().getTypeMap()).flatMap((type) =>
    isInputObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ extensions }) => extensions.audited === true)
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
  expect(declared.sort()).toEqual([
    "ApnsCredentialsInput.baseUrl",
    "ApnsCredentialsInput.bundleId",
    "ApnsCredentialsInput.keyId",
    "ApnsCredentialsInput.teamId",
    "CreateApiKeyInput.name",
    "CreateApplicationInput.name",
    "FacebookSettingsInput.appId",
    "FacebookSettingsInput.baseUrl",
    "FacebookSettingsInput.version",
    "FcmCredentialsInput.baseUrl",
    "FirebaseSettingsInput.keysUrl",
    "FirebaseSettingsInput.projectId",
    "InviteMemberInput.email",
    "JwtSettingsInput.jwksUrl",
    "TwitterSettingsInput.baseUrl",
    "UpdateAccountInput.name",
    "UpdateApplicationInput.name",
    "UpdateApplicationInput.webOrigins",
    "UpdateCurrentMemberInput.email",
  ]);
});
