import { type GraphQLNamedType, isInputObjectType, isInterfaceType, isObjectType } from "graphql";
import { restSchema } from "../../src/transports/graphql/schema";

/** Numbers of the schema that may exceed 32 bits, by what they are. All others are Int, which every client knows. */
const REASONS: Record<string, RegExp> = {
  "ids are 64-bit integers in the database": /(atabaseId|\.applicationId|\.deviceId)$/,
  "filters of ids": /^(IntegerFilter\..*|UserCondition\.numbers)$/,
  "an id of another system, which is not checked": /\.blobId$/,
  "clients choose nonces, and send times in seconds": /\.(nonce|timestamp|ts)$/,
  "a month of a large application has more than 2^31 requests":
    /^(StatisticsCounts|PushCounts|ErrorCount)\./,
  "REST accepts larger numbers, with the same answers":
    /^(Query\.users\w*\((limit|offset|page|perPage)\)|UserConnection\.offset|UserPage\.currentPage)$/,
};

/** The fields and arguments of the schema with their types, as `User.blobId` and `Query.users(limit)`. */
function* places(types: readonly GraphQLNamedType[]): Generator<[place: string, type: string]> {
  for (const type of types) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        yield [`${type.name}.${field.name}`, String(field.type)];
      }
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, String(field.type)];
      for (const each of field.args) {
        yield [`${type.name}.${field.name}(${each.name})`, String(each.type)];
      }
    }
  }
}

test("a number is SafeInt only if it may exceed 32 bits", () => {
  const types = Object.values(restSchema().getTypeMap());
  const safe = [...places(types)]
    .filter(([, type]) => /\bSafeInt\b/.test(type))
    .map(([place]) => place);
  const patterns = Object.values(REASONS);
  expect(safe.filter((place) => !patterns.some((pattern) => pattern.test(place)))).toEqual([]);
  // No reason is left over.
  for (const [reason, pattern] of Object.entries(REASONS)) {
    expect([reason, safe.some((place) => pattern.test(place))]).toEqual([reason, true]);
  }
});
