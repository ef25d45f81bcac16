import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from "graphql";
import { clientConfig, clientTypes, enumsConfig, scalars } from "../../schema/codegen";

/** schema/codegen.ts fits schema/schema.graphql, and docs/CODEGEN.md fits both. */

const read = (name: string) => readFileSync(join(__dirname, "../..", name), "utf8");
const schema = buildSchema(read("schema/schema.graphql"));
const page = read("docs/CODEGEN.md");

test("types every scalar of the schema, and no other", () => {
  const custom = Object.values(schema.getTypeMap())
    .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
    .map(({ name }) => name);
  // graphql-codegen knows ID, but not that the service takes numbers too.
  expect(Object.keys(scalars).sort()).toEqual([...custom, "ID"].sort());
});

test("an unknown scalar stops the generator, for every output", () => {
  const outputs = Object.values(clientTypes("src/gql/")).map(({ config }) => config);
  expect(outputs).toEqual([clientConfig, enumsConfig]);
  for (const config of outputs) expect(config).toMatchObject({ scalars, strictScalars: true });
});

test("docs/CODEGEN.md has the types of the scalars", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| /gm)];
  const types = rows.map(([, name, output = "", input = ""]) => {
    const [arrives, sent] = [output, input].map((text) =>
      text.replace("string, number", "string | number"),
    );
    return [name, { input: sent, output: arrives }];
  });
  expect(Object.fromEntries(types)).toEqual(scalars);
});

test("docs/CODEGEN.md lists the fields of type SafeInt", () => {
  const names = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInputObjectType(type))
    .filter(({ name }) => name !== "IntegerFilter")
    .flatMap(
      (type): Array<GraphQLField<unknown, unknown> | GraphQLInputField> =>
        Object.values(type.getFields()),
    )
    .flatMap((field) => ("args" in field ? [field, ...field.args] : [field]))
    .filter(({ type }) => getNamedType(type as GraphQLType).name === "SafeInt")
    .map(({ name }) => name);
  const [, list = ""] = /^These fields are SafeInt([\s\S]+?) `first`/m.exec(page) ?? [];
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set([...names, "createSession"]));
});
