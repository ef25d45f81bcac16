import { getNamedType, isAbstractType, isObjectType } from "graphql";
import { accessTable, restSchema, visibilityOf } from "../../src/transports/graphql/schema";

/** What API keys reach: the operations of each scope, and no secret of their application or account. */

const schema = restSchema();
const keyed = [...accessTable(schema)].filter(([, { keyScope }]) => keyScope !== null);

test("each scope opens these operations", () => {
  const scopes: Record<string, string[]> = {};
  for (const [name, { keyScope }] of keyed) {
    scopes[keyScope ?? ""] = [...(scopes[keyScope ?? ""] ?? []), name];
  }
  for (const names of Object.values(scopes)) names.sort();
  expect(scopes).toEqual({
    sessions: [
      "Mutation.createSessionForUser",
      "Mutation.destroySession",
      "Mutation.endUserSessions",
    ],
    users: [
      "Mutation.blockUser",
      "Mutation.createUser",
      "Mutation.deleteUser",
      "Mutation.exportUser",
      "Mutation.unblockUser",
      "Mutation.updateUser",
      "Query.user",
      "Query.users",
    ],
    push: [
      "Mutation.createPushEvent",
      "Mutation.deletePushSubscription",
      "Mutation.stopPushEvent",
      "Query.pushDeliveries",
      "Query.pushEvent",
    ],
  });
});

test("nothing that they return leads to the application, the account or a field of developers", () => {
  const reached = new Set<string>();
  const hidden: string[] = [];
  const follow = (name: string) => {
    if (reached.has(name)) return;
    reached.add(name);
    const type = schema.getType(name);
    if (type && isAbstractType(type)) {
      for (const possible of schema.getPossibleTypes(type)) follow(possible.name);
    }
    if (!isObjectType(type)) return;
    for (const field of Object.values(type.getFields())) {
      if (visibilityOf(field)?.role === "developer") hidden.push(`${name}.${field.name}`);
      follow(getNamedType(field.type).name);
    }
  };
  for (const [operation] of keyed) {
    const [root = "", name = ""] = operation.split(".");
    const type = root === "Query" ? schema.getQueryType() : schema.getMutationType();
    const field = type?.getFields()[name];
    if (field === undefined) throw new Error(`${operation} is missing`);
    follow(getNamedType(field.type).name);
  }
  expect(reached).toContain("User");
  expect(hidden).toEqual([]);
  const closed = ["Application", "Account", "ApiKey", "AccountMember", "Conference", "Call"];
  expect(closed.filter((name) => reached.has(name))).toEqual([]);
});
