import { join } from "node:path";
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  printSchema,
  TypeInfo,
  validateSchema,
  visit,
  visitWithTypeInfo,
} from "graphql";
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
