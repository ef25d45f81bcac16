import { getIntrospectionQuery, getOperationAST, parse } from "graphql";
import { measureOperation } from "../../src/transports/graphql/engine/operation-size";
import {
  FIELDS_PER_REQUEST,
  INTROSPECTION_VALUES_PER_REQUEST,
  weighOperation,
} from "../../src/transports/graphql/engine/operation-weight";
import { buildSignalboxSchema } from "../../src/transports/graphql/schema";

const schema = buildSignalboxSchema();
const types = Object.keys(schema.getTypeMap()).length;

function weigh(text: string): number {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error("no operation");
  return weighOperation(schema, document, operation, measureOperation(schema, document, operation));
}

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(" ");

describe("an operation counts as", () => {
  test("one request for one root field with a typical selection", () => {
    expect(weigh("{ currentSession { id user { id login fullName tags } } }")).toBe(1);
    expect(weigh("{ __typename }")).toBe(1);
  });

  test("one request per root field, also in fragments", () => {
    expect(weigh(`{ ${aliases(7, "currentSession { id }")} }`)).toBe(7);
    expect(
      weigh(`{ ...f b: __typename } fragment f on Query { ${aliases(3, "__typename")} }`),
    ).toBe(4);
  });

  test("one request per list or number below the root, if these are more", () => {
    const recipients = "pushRecipientCount(recipients: { environment: DEVELOPMENT }) { userCount }";
    const weighApplication = (what: string) => weigh(`{ application(id: 1) { ${what} } }`);
    expect(weighApplication("users(first: 1) { nodes { id } }")).toBe(1);
    expect(weighApplication(aliases(7, recipients))).toBe(7);
    const fragments = `fragment f on Application { ...g ${aliases(3, recipients)} }
      fragment g on Application { users { nodes { id } } calls { nodes { id } } }`;
    expect(weigh(`{ application(id: 1) { ...f } } ${fragments}`)).toBe(5);
  });

  test(`one request per ${FIELDS_PER_REQUEST} fields`, () => {
    const fields = (count: number) => `{ currentSession { ${"id ".repeat(count - 1)} } }`;
    expect(weigh(fields(FIELDS_PER_REQUEST))).toBe(1);
    expect(weigh(fields(FIELDS_PER_REQUEST + 1))).toBe(2);
  });
});

describe("introspection counts", () => {
  test("little for one type, and a lot for the whole schema", () => {
    expect(weigh('{ __type(name: "User") { name } }')).toBe(1);
    expect(weigh("{ __schema { types { name } } }")).toBe(1);
    expect(weigh(getIntrospectionQuery())).toBeGreaterThan(20);
    expect(weigh(getIntrospectionQuery())).toBeLessThan(100);
  });

  test("by its result: lists within lists", () => {
    const inner = "fields { type { fields { name } } }";
    expect(weigh(`{ __schema { types { ${inner} } } }`)).toBeGreaterThan(types / 100);
    const wide = `{ __schema { ${aliases(20, `types { ${inner} }`)} } }`;
    expect(weigh(wide)).toBeGreaterThan(19 * (types / INTROSPECTION_VALUES_PER_REQUEST));
    expect(weigh(wide)).toBeGreaterThan(15 * weigh(`{ __schema { types { ${inner} } } }`));
  });

  test("the same through fragments, which are measured once", () => {
    const levels = Array.from(
      { length: 60 },
      (_, level) => `fragment f${level} on __Type { ...f${level + 1} ... { ...f${level + 1} } }`,
    );
    const text = `{ __schema { types { ...f0 } } } ${levels.join(" ")} fragment f60 on __Type { name }`;
    expect(weigh(text)).toBeGreaterThan(2 ** 50);
  });
});
