import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";

/** Kind of an input: text, a JSON value with text, or a password, which is not restricted. */
export type TextKind = "text" | "json" | "password";

/** An input of the schema that accepts text. */
export interface TextInput {
  /** For example `Mutation.createUser: user.login`. */
  name: string;
  kind: TextKind;
  /** Name of the field in errors. */
  field: string;
  document: string;
  variables(value: unknown): Record<string, unknown>;
}

type Field = GraphQLField<unknown, unknown>;
type Input = GraphQLArgument | GraphQLInputField;
/** Path below an argument; 0 means a list item. */
type Steps = ReadonlyArray<string | 0>;

const TEXT = /^(String|ID)$/;
const JSON_TYPE = /^JSON(Object)?$/;
const NO_TEXT = /^(Int|Float|Boolean|SafeInt|DateTime)$/;

/**
 * Every input of the schema that accepts text, with a document that sends a value to it: arguments of
 * operations and of nested fields.
 */
export function textInputs(schema: GraphQLSchema): TextInput[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith("__")
      ? Object.values(type.getFields()).flatMap((field) => placesOf(schema, type, field))
      : [],
  );
}

function placesOf(schema: GraphQLSchema, type: GraphQLObjectType, field: Field): TextInput[] {
  return field.args.flatMap((argument) =>
    leaves(argument, [], [], true).map(({ steps, kind, named }) => ({
      name: `${type.name}.${field.name}: ${[argument.name, ...steps].join(".")}`,
      kind,
      field: named.length > 0 ? named.join(".") : argument.name,
      document: documentFor(schema, type, field),
      variables: (value: unknown) => ({
        ...Object.fromEntries(
          field.args
            .filter((each) => each !== argument && isNonNullType(each.type))
            .map((each) => [each.name, sample(each.type)]),
        ),
        [argument.name]: filled(argument.type, steps, kind === "json" ? { a: [value] } : value),
      }),
    })),
  );
}

/** The text leaves of an input; recursive inputs are entered once. */
function leaves(
  input: Input,
  steps: Steps,
  around: readonly string[],
  naming: boolean,
): Array<{ steps: Steps; kind: TextKind; named: readonly string[] }> {
  let type: GraphQLInputType = input.type;
  let at = steps;
  let names = naming;
  while (isNonNullType(type) || isListType(type)) {
    if (isListType(type)) {
      at = [...at, 0];
      names = names && !isInputObjectType(getNamedType(type));
    }
    type = type.ofType;
  }
  if (isInputObjectType(type)) {
    if (around.includes(type.name)) return [];
    const inside = [...around, type.name];
    return Object.values(type.getFields()).flatMap((each) =>
      leaves(each, [...at, each.name], inside, names).map((leaf) => ({
        ...leaf,
        named: names ? [each.name, ...leaf.named] : leaf.named,
      })),
    );
  }
  if (isEnumType(type) || NO_TEXT.test(type.name)) return [];
  if (input.extensions.password === true) return [{ steps: at, kind: "password", named: [] }];
  if (JSON_TYPE.test(type.name)) return [{ steps: at, kind: "json", named: [] }];
  if (TEXT.test(type.name)) return [{ steps: at, kind: "text", named: [] }];
  throw new Error(`whether ${type.name} takes text is not known`);
}

/** A value of a type with another value at a path, and otherwise only required fields. */
function filled(type: GraphQLInputType, steps: Steps, value: unknown): unknown {
  if (isNonNullType(type)) return filled(type.ofType, steps, value);
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (isListType(type)) return [filled(type.ofType, rest, value)];
  if (!isInputObjectType(type)) throw new Error(`${type} holds nothing`);
  const field = type.getFields()[step];
  if (!field) throw new Error(`${type} has no ${step}`);
  const others = type.isOneOf ? {} : (sample(type) as object);
  return { ...others, [step]: filled(field.type, rest, value) };
}

/** A valid value of a type. */
function sample(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).slice(0, type.isOneOf ? 1 : undefined);
    return Object.fromEntries(
      fields
        .filter((field) => type.isOneOf || isNonNullType(field.type))
        .map((field) => [field.name, sample(field.type)]),
    );
  }
  if (JSON_TYPE.test(type.name)) return {};
  if (type.name === "Boolean") return true;
  if (type.name === "DateTime") return "2090-01-01T00:00:00Z";
  return NO_TEXT.test(type.name) ? 1 : "1";
}

/**
 * A document that selects a field with all its arguments as variables. Required arguments of the fields above
 * are variables as well: `$of_user_id` for the argument id of the field user.
 */
function documentFor(schema: GraphQLSchema, type: GraphQLObjectType, field: Field): string {
  const { kind, way } = wayTo(schema, type);
  const above = way.flatMap(({ name: parent, args }) =>
    args
      .filter(({ type: given }) => isNonNullType(given))
      .map(({ name, type: given }) => `$of_${parent}_${name}: ${given}`),
  );
  const own = field.args.map(({ name, type: given }) => `$${name}: ${given}`);
  const variables = [...own, ...above].join(", ");
  const values = field.args.map(({ name }) => `${name}: $${name}`).join(", ");
  const selection = isLeafType(getNamedType(field.type)) ? "" : " { __typename }";
  const asked = `${field.name}(${values})${selection}`;
  const inside = way.reduceRight((inner, { name, args }) => {
    const needed = args.filter(({ type: given }) => isNonNullType(given));
    const list = needed.map((each) => `${each.name}: $of_${name}_${each.name}`).join(", ");
    return `${name}${list === "" ? "" : `(${list})`} { ${inner} }`;
  }, asked);
  return `${kind} (${variables}) { ${inside} }`;
}

/** The fields of the shortest path from a root to a type. */
function wayTo(schema: GraphQLSchema, type: GraphQLObjectType): { kind: string; way: Field[] } {
  if (type === schema.getMutationType()) return { kind: "mutation", way: [] };
  if (type === schema.getSubscriptionType()) return { kind: "subscription", way: [] };
  const root = schema.getQueryType();
  if (!root) throw new Error("no queries");
  const ways: Array<[GraphQLObjectType, Field[]]> = [[root, []]];
  const seen = new Set([root]);
  for (const [at, way] of ways) {
    if (at === type) return { kind: "query", way };
    for (const field of Object.values(at.getFields())) {
      const next = getNamedType(field.type);
      if (!isObjectType(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([next, [...way, field]]);
    }
  }
  throw new Error(`nothing leads to ${type.name}`);
}
