import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from "graphql";
import { packageRoot } from "../../src/core/package-root";
import type { Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { chance, pick, several } from "./random";
import { sample } from "./samples";
import { hostileText, hostileValue } from "./values";

const schema = buildSchema(readFileSync(join(packageRoot(), "schema/schema.graphql"), "utf8"));

/** An operation to run. */
export interface GraphqlRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName?: unknown;
}

/** Fields that would break the run itself; the owner's account must stay usable. */
const LEFT_OUT = new Set([
  "updateAccount",
  "updateCurrentMember",
  "updateMember",
  "removeMember",
  "signOutMember",
  "signOutMemberEverywhere",
]);

/** Maximum depth of a document; mutations exceed the service's own limit. */
const DEPTH = 5;

/** Generates a document from the schema, with variables, fragments, aliases and directives. */
export class DocumentMaker {
  private readonly variables: Record<string, unknown> = {};
  private readonly declared: string[] = [];
  private readonly fragments: string[] = [];
  private aliases = 0;
  /** Whether the last value has a wrong type; passed as a variable, it gets past document validation. */
  private foreign = false;

  constructor(
    private readonly random: Random,
    private readonly fixture: Fixture,
    /** Percentage of values that do not match their type. */
    private readonly hostility: number,
  ) {}

  /** @param kind kind of the operation; random by default */
  make(kind?: "query" | "mutation" | "subscription"): GraphqlRequest {
    const { random } = this;
    const operation =
      kind ?? pick(random, ["query", "query", "query", "mutation", "mutation", "subscription"]);
    const root = schema.getRootType(operation as never) as GraphQLObjectType;
    const fields = Object.values(root.getFields()).filter(({ name }) => !LEFT_OUT.has(name));
    const most = operation === "subscription" ? 1 : 3;
    const selected = several(random, 1, chance(random, 25) ? most : 1, () =>
      this.field(pick(random, fields), DEPTH),
    );
    const name = chance(random, 50) ? ` Op${random(3)}` : "";
    const declared = this.declared.length > 0 ? `(${this.declared.join(", ")})` : "";
    const query = `${operation}${name}${declared}${this.directives(5)} { ${selected.join(" ")} } ${this.fragments.join(" ")}`;
    return { query, variables: this.variables };
  }

  private field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const { random } = this;
    // Equal response keys with different arguments would conflict.
    this.aliases += 1;
    const aliased = field.args.length > 0 ? 60 : 5;
    const alias = chance(random, aliased) ? `a${this.aliases}: ` : "";
    const given = field.args.flatMap((each) => {
      const sent = isNonNullType(each.type) ? chance(random, 97) : chance(random, 35);
      return sent ? [`${each.name}: ${this.argument(each)}`] : [];
    });
    const list = given.length > 0 ? `(${given.join(", ")})` : "";
    return `${alias}${field.name}${list}${this.directives(6)}${this.selection(field.type, depth - 1)}`;
  }

  private selection(type: GraphQLOutputType, depth: number): string {
    const { random } = this;
    const named = getNamedType(type);
    if (isLeafType(named)) return "";
    if (isAbstractType(named)) {
      const some = several(random, 1, 2, () => pick(random, schema.getPossibleTypes(named)));
      return ` { __typename ${some.map((each) => `... on ${each.name}${this.selection(each, depth)}`).join(" ")} }`;
    }
    const all = Object.values((named as GraphQLObjectType).getFields());
    const leaves = all.filter((field) => isLeafType(getNamedType(field.type)));
    const choice = depth > 0 ? all : leaves;
    const selected =
      choice.length === 0
        ? ["__typename"]
        : several(random, 1, 4, () => this.field(pick(random, choice), depth));
    const body = `{ ${selected.join(" ")} }`;
    if (chance(random, 8)) {
      const name = `F${this.fragments.length}`;
      this.fragments.push(`fragment ${name} on ${named.name} ${body}`);
      return ` { ...${name}${this.directives(10)} }`;
    }
    return chance(random, 6)
      ? ` { ... on ${named.name}${this.directives(20)} ${body} }`
      : ` ${body}`;
  }

  private directives(percent: number): string {
    const { random } = this;
    if (!chance(random, percent)) return "";
    const name = chance(random, 98)
      ? pick(random, ["include", "skip"])
      : pick(random, ["deprecated", "unknown", "oneOf"]);
    if (chance(random, 50)) return ` @${name}(if: ${chance(random, 70)})`;
    const wanted = chance(random, 95) ? "Boolean!" : "Boolean";
    return ` @${name}(if: ${this.declare(wanted, chance(random, 80) ? true : hostileValue(random))})`;
  }

  private argument({ type, name }: GraphQLArgument): string {
    this.foreign = false;
    const value = this.value(type, name, 3);
    if (this.foreign || chance(this.random, 60)) return this.declare(String(type), value);
    return literal(value, type);
  }

  private declare(type: string, value: unknown): string {
    const name = `v${this.declared.length}`;
    const fallback = !type.endsWith("!") && chance(this.random, 5) ? " = null" : "";
    this.declared.push(`$${name}: ${type}${fallback}`);
    if (chance(this.random, 95)) this.variables[name] = value;
    return `$${name}`;
  }

  private value(type: GraphQLInputType, name: string, depth: number): unknown {
    const { random } = this;
    if (isNonNullType(type)) return this.value(type.ofType, name, depth);
    if (chance(random, this.hostility)) {
      this.foreign = chance(random, 97);
      return hostileValue(random);
    }
    if (isListType(type)) {
      return several(random, 0, 3, () => this.value(type.ofType, name, depth - 1));
    }
    const named = getNamedType(type);
    if (isInputObjectType(named)) {
      const fields: GraphQLInputField[] = Object.values(named.getFields());
      const chosen = named.isOneOf
        ? [pick(random, fields)]
        : fields.filter((each) =>
            chance(random, isNonNullType(each.type) ? 97 : depth > 0 ? 35 : 0),
          );
      return Object.fromEntries(
        chosen.map((each) => [each.name, this.value(each.type, each.name, depth - 1)]),
      );
    }
    if (isEnumType(named)) return pick(random, named.getValues()).name;
    const known = sample(random, this.fixture, name);
    if (known !== undefined && chance(random, 90)) return known;
    switch (named.name) {
      case "Boolean":
        return chance(random, 50);
      case "Int":
      case "SafeInt":
        return random(200);
      case "DateTime":
        return "2030-01-01T00:00:00Z";
      case "JSON":
      case "JSONObject":
        return { a: [1, { b: "c" }] };
      default:
        return hostileText(random);
    }
  }
}

/** A value as a literal; enum values without quotes. */
function literal(value: unknown, type: GraphQLInputType): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, type)).join(", ")}]`;
  if (typeof value === "object") {
    const named = getNamedType(type);
    const fields = isInputObjectType(named) ? named.getFields() : {};
    const entries = Object.entries(value).map(
      ([key, each]) => `${key}: ${literal(each, fields[key]?.type ?? type)}`,
    );
    return `{${entries.join(", ")}}`;
  }
  if (typeof value === "string" && isEnumType(getNamedType(type))) return value;
  return JSON.stringify(value);
}
