import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  Kind,
  parse,
  visit,
} from "graphql";
import {
  CHANNELS,
  listInProse,
  type PushService,
  SERVICES,
} from "../../src/domain/push/channels/channel";
import { PushChannelName, PushServiceName } from "../../src/domain/push/channels/channel.type";
import {
  PushChannel,
  PushService as StoredServices,
} from "../../src/platform/store/generated/enums";

const schema = buildSchema(readFileSync("schema/schema.graphql", "utf8"));
const commands = parse(readFileSync("schema/cli/push.graphql", "utf8"));

/** Values of an enum of the public schema. */
const valuesOf = (name: string) =>
  (schema.getType(name) as GraphQLEnumType).getValues().map((value) => value.name);

/** Fields of a type of the public schema. */
const fieldsOf = (name: string) =>
  Object.keys((schema.getType(name) as GraphQLObjectType | GraphQLInputObjectType).getFields());

/** Names of the fields that a command selects or sets, at any depth. */
function namesIn(command: (name: string) => boolean): Set<string> {
  const names = new Set<string>();
  for (const definition of commands.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (!command(definition.name?.value ?? "")) continue;
    visit(definition, {
      Field: ({ name }) => void names.add(name.value),
      ObjectField: ({ name }) => void names.add(name.value),
    });
  }
  return names;
}

describe("every channel of the database", () => {
  test("is in the table and in the public schema, with the alias of gcm", () => {
    expect([...CHANNELS].sort()).toEqual(Object.keys(PushChannel).sort());
    const names = [...CHANNELS.map((channel) => channel.toUpperCase()), "FCM"].sort();
    expect(Object.keys(PushChannelName).sort()).toEqual(names);
    expect(valuesOf("PushChannel").sort()).toEqual(names);
  });
});

test("the command line names every service in its help", () => {
  const text = readFileSync("schema/cli/push.graphql", "utf8");
  const comments = text.split("\n").filter((line) => line.includes("# Service: "));
  expect(comments).toHaveLength(2);
  for (const comment of comments) expect(comment).toContain(listInProse(SERVICES, "or"));
});

describe.each(Object.keys(StoredServices) as PushService[])("service %s", (service) => {
  test("is in the table and in the public schema", () => {
    expect(SERVICES).toContain(service);
    expect(PushServiceName[service.toUpperCase()]).toBe(service);
    expect(valuesOf("PushService")).toContain(service.toUpperCase());
  });

  test("has credentials that an owner can set and read by GraphQL", () => {
    expect(fieldsOf("SetPushCredentialsInput")).toContain(service);
    expect(fieldsOf("PushCredentialsType")).toContain(service);
  });

  test("has credentials that the command line sets and shows", () => {
    expect(namesIn((name) => name.startsWith("PushSet"))).toContain(service);
    expect(namesIn((name) => name === "PushShow")).toContain(service);
  });
});

test("lists in prose have commas and one conjunction", () => {
  expect(listInProse(["a"], "or")).toBe("a");
  expect(listInProse(["a", "b"], "and")).toBe("a and b");
  expect(listInProse(["a", "b", "c"], "or")).toBe("a, b or c");
});
