import { join } from "node:path";
import {
  buildSchema,
  type GraphQLAbstractType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  parse,
  printSchema,
  TypeInfo,
  validateSchema,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { isLegacy } from "../../src/domain/access/legacy";
import { restSchema, signalboxSchema } from "../../src/transports/graphql/schema";
import { readRestFiles } from "../../src/transports/rest/documents";

/** The published schema is that of the REST documents without what `@Legacy` marks. */

const complete = restSchema();
const published = signalboxSchema();

/** The fields, arguments and input fields of a type, as `User.login` and `Query.users(filter)`. */
function membersOf(type: GraphQLNamedType): string[] {
  if (isInputObjectType(type)) return Object.keys(type.getFields()).map((n) => `${type.name}.${n}`);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) => [
    `${type.name}.${name}`,
    ...args.map((each) => `${type.name}.${name}(${each.name})`),
  ]);
}

const namesOf = (schema: GraphQLSchema) => Object.keys(schema.getTypeMap());
const without = (names: string[], others: string[]) => {
  const known = new Set(others);
  return names.filter((name) => !known.has(name)).sort();
};

const LEGACY_MEMBERS = [
  "CreatePushEventInput.notificationType",
  "CreatePushEventPayload.edges",
  "CreatePushSubscriptionPayload.edges",
  "CreateUserInput.blobId",
  "CreateUserInput.externalUserId",
  "PushEvent.message",
  "PushEvent.notificationChannel",
  "PushMessageInput.encoded",
  "PushSubscription.device",
  "PushSubscription.notificationChannel",
  "Query.users(limit)",
  "Query.users(offset)",
  "Query.usersByFullName",
  "Query.usersByTags",
  "Query.usersPage",
  "Session.deviceId",
  "SessionEntry.location",
  "UpdateUserInput.blobId",
  "UpdateUserInput.externalUserId",
  "User.blobId",
  "User.externalUserId",
  "UserConnection.limit",
  "UserConnection.offset",
];

test("it lacks exactly these members, and the types that only they use", () => {
  expect(without(namesOf(complete), namesOf(published))).toEqual([
    "EncodedPushMessageInput",
    "PushDevice",
    "PushName",
    "PushNotificationType",
    "SortDirection",
    "UserCondition",
    "UserField",
    "UserOperator",
    "UserOrder",
    "UserPage",
  ]);
  const shared = namesOf(published).map((name) => complete.getType(name) as GraphQLNamedType);
  const left = Object.values(published.getTypeMap()).flatMap(membersOf);
  const lacking = without(shared.flatMap(membersOf), left);
  expect(lacking.filter((name) => !/^Query\.users\w+\(/.test(name))).toEqual(LEGACY_MEMBERS);
});

test("it has nothing else", () => {
  expect(without(namesOf(published), namesOf(complete))).toEqual([]);
  const [left, all] = [published, complete].map((schema) =>
    Object.values(schema.getTypeMap()).flatMap(membersOf),
  );
  expect(without(left ?? [], all ?? [])).toEqual([]);
  expect(validateSchema(buildSchema(printSchema(published)))).toEqual([]);
});

test("its fields have the resolvers, marks and types of the others", () => {
  for (const type of Object.values(published.getTypeMap())) {
    const other = complete.getType(type.name);
    if (!isObjectType(type) || !isObjectType(other)) continue;
    expect(type.isTypeOf).toBe(other.isTypeOf);
    expect(type.getInterfaces().map(String)).toEqual(other.getInterfaces().map(String));
    for (const [name, field] of Object.entries(type.getFields())) {
      const { resolve, subscribe, extensions, description, type: result } = field;
      const expected = other.getFields()[name];
      expect([type.name, name, resolve]).toEqual([type.name, name, expected?.resolve]);
      expect(subscribe).toBe(expected?.subscribe);
      expect([extensions, description]).toEqual([expected?.extensions, expected?.description]);
      expect(String(result)).toBe(String(expected?.type));
    }
  }
});

test("its arguments, inputs, interfaces and unions are those of the others", () => {
  for (const type of Object.values(published.getTypeMap())) {
    const other = complete.getType(type.name);
    if (isObjectType(type) && isObjectType(other)) {
      for (const [name, { args }] of Object.entries(type.getFields())) {
        const others = other.getFields()[name]?.args ?? [];
        for (const each of args)
          expectSameInput(
            each,
            others.find((arg) => arg.name === each.name),
          );
      }
    } else if (isInputObjectType(type) && isInputObjectType(other)) {
      expect(type.isOneOf).toBe(other.isOneOf);
      for (const [name, field] of Object.entries(type.getFields())) {
        expectSameInput(field, other.getFields()[name]);
      }
    } else if (isAbstractType(type) && isAbstractType(other)) {
      expect(type.resolveType).toBe(other.resolveType);
      const possible = (schema: GraphQLSchema, of: GraphQLAbstractType) =>
        schema.getPossibleTypes(of).map(String).sort();
      expect(possible(published, type)).toEqual(possible(complete, other));
    }
  }
});

function expectSameInput(
  one: GraphQLArgument | GraphQLInputField,
  other: GraphQLArgument | GraphQLInputField | undefined,
): void {
  const { name, description, defaultValue, extensions } = one;
  expect([name, String(one.type)]).toEqual([other?.name, String(other?.type)]);
  expect([description, defaultValue]).toEqual([other?.description, other?.defaultValue]);
  expect(extensions).toEqual(other?.extensions);
}

test("nothing that it lacks is required beside what it has", () => {
  const inputs = Object.values(complete.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ args }) => args);
  });
  const legacy = inputs.filter(isLegacy);
  expect(legacy.map(({ name }) => name)).toContain("offset");
  expect(legacy.filter((each) => isRequiredArgument(each as GraphQLArgument))).toEqual([]);
});

test("a REST document uses each member that it lacks", () => {
  const used = new Set<string>();
  const types = new TypeInfo(complete);
  for (const { text } of readRestFiles(join(__dirname, "../../schema/rest"))) {
    visit(
      parse(text),
      visitWithTypeInfo(types, {
        Field: ({ name }) => void used.add(`${types.getParentType()?.name}.${name.value}`),
        Argument: ({ name }) => {
          const field = types.getFieldDef()?.name;
          used.add(`${types.getParentType()?.name}.${field}(${name.value})`);
        },
        ObjectField: ({ name }) => {
          const parent = String(types.getParentInputType() ?? "").replace("!", "");
          used.add(`${parent}.${name.value}`);
        },
      }),
    );
  }
  expect(LEGACY_MEMBERS.filter((name) => !used.has(name))).toEqual([]);
});
