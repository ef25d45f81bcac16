import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Context } from "./context";
import { faultError } from "./error";
import type { OperationSize } from "./operation-size";

/** Number of fields of an operation that count as one request. */
export const FIELDS_PER_REQUEST = 100;
/** Estimated number of introspection values that count as one request. */
export const INTROSPECTION_VALUES_PER_REQUEST = 1_000;
/** Number of requests that a document counts as if it is refused before execution, for parsing it. */
export const REFUSED_WEIGHT = 10;

/**
 * The number of requests that an operation counts as: one per root field, or more if it reads more lists below the root,
 * or selects very many fields or large parts of the schema.
 */
export function weighOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { rootFields, reads, fields, introspection }: OperationSize,
): number {
  const values = introspection ? new Introspection(schema, document).values(operation) : 0;
  return Math.max(
    rootFields,
    reads,
    Math.ceil(fields / FIELDS_PER_REQUEST),
    Math.ceil(values / INTROSPECTION_VALUES_PER_REQUEST),
  );
}

/**
 * Charges the weight of an operation beyond one; the HTTP server already counted one request.
 * @returns the error result if the client's address exceeds its rate limit, else null
 */
export function chargeOperation(
  { weight }: { weight: number },
  { limits, caller }: Pick<Context, "limits" | "caller">,
): ExecutionResult | null {
  if (weight <= 1) return null;
  const refusal = limits.countExtra(caller.ip, weight - 1);
  return refusal && { errors: [faultError(refusal)] };
}

/** Estimates the number of values in an introspection result, by the average length of the schema's lists. */
class Introspection {
  private readonly lengths: ReadonlyMap<string, number>;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly known = new Map<string, number>();

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode) {
    this.lengths = averageLengths(schema);
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(each.name.value, each);
    }
  }

  values({ selectionSet }: OperationDefinitionNode): number {
    return this.sum(selectionSet);
  }

  private sum({ selections }: SelectionSetNode): number {
    let values = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet ? this.sum(selection.selectionSet) : 0;
        values += 1 + inner * (this.lengths.get(selection.name.value) ?? 1);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        values += this.sum(selection.selectionSet);
      } else {
        values += this.ofFragment(selection.name.value);
      }
    }
    return values;
  }

  private ofFragment(name: string): number {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const fragment = this.fragments.get(name);
    const values = fragment ? this.sum(fragment.selectionSet) : 0;
    this.known.set(name, values);
    return values;
  }
}

const LENGTHS = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>();

/** Average lengths of introspection's lists by field name. Types without such a list count as length 0. */
function averageLengths(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const known = LENGTHS.get(schema);
  if (known) return known;
  const types = Object.values(schema.getTypeMap());
  const compositeTypes = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = compositeTypes.flatMap((type) => Object.values(type.getFields()));
  const inputs = types
    .filter(isInputObjectType)
    .map((type) => Object.keys(type.getFields()).length);
  const values = types.filter(isEnumType).map((type) => type.getValues().length);
  const perType = (count: number) => count / types.length;
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const lengths = new Map([
    ["types", types.length],
    ["directives", schema.getDirectives().length],
    ["fields", perType(fields.length)],
    ["args", sum(fields.map(({ args }) => args.length)) / fields.length],
    ["inputFields", perType(sum(inputs))],
    ["enumValues", perType(sum(values))],
    ["interfaces", perType(sum(compositeTypes.map((type) => type.getInterfaces().length)))],
  ]);
  LENGTHS.set(schema, lengths);
  return lengths;
}
