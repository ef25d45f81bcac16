import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";

/** Size of an operation, with every fragment expanded. */
export interface OperationSize {
  /** Number of response keys at the root. Each runs a resolver, so this measures the work. */
  rootFields: number;
  /** Number of fields below the root that take arguments: each reads a page or a number by itself. */
  reads: number;
  /**
   * Number of fields on all levels. A field of an interface or union counts once for each of its object
   * types.
   */
  fields: number;
  /**
   * Characters of all fields, each including the response keys and directives on its path from the root,
   * because compiled code for a field contains its whole path.
   */
  characters: number;
  /** Whether the operation reads the schema (`__schema` or `__type`). */
  introspection: boolean;
}

/**
 * Measures a valid operation in time proportional to the document, even if fragments spread each other
 * repeatedly: each fragment is measured once per type.
 */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationSize {
  const fragments = fragmentsOf(document);
  const root = schema.getRootType(operation.operation) ?? undefined;
  const keys = rootKeys(operation.selectionSet, fragments);
  return {
    rootFields: keys.size,
    ...new FieldCounter(schema, fragments).count(operation.selectionSet, root),
    introspection: [...keys.values()].some((names) => names.has("__schema") || names.has("__type")),
  };
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function fragmentsOf({ definitions }: DocumentNode): Fragments {
  return new Map(
    definitions.flatMap((each): [string, FragmentDefinitionNode][] =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [],
    ),
  );
}

/** Field names at the root, by response key. */
function rootKeys(root: SelectionSetNode, fragments: Fragments): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  const spread = new Set<string>();
  const pending: SelectionNode[] = [...root.selections];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === Kind.FIELD) {
      const key = next.alias?.value ?? next.name.value;
      keys.set(key, (keys.get(key) ?? new Set()).add(next.name.value));
    } else if (next.kind === Kind.INLINE_FRAGMENT) {
      pending.push(...next.selectionSet.selections);
    } else if (!spread.has(next.name.value)) {
      spread.add(next.name.value);
      pending.push(...(fragments.get(next.name.value)?.selectionSet.selections ?? []));
    }
  }
  return keys;
}

type Extent = Pick<OperationSize, "fields" | "characters" | "reads">;

/** Counts the fields of selection sets. Each fragment is counted once per type and memoized. */
class FieldCounter {
  private readonly known = new Map<string, Extent>();
  private readonly roots: ReadonlyArray<GraphQLNamedType | null | undefined>;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
  ) {
    this.roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  }

  count({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Extent {
    const sum = { fields: 0, characters: 0, reads: 0 };
    for (const selection of selections) {
      const inside = this.inside(selection, type);
      const own = selection.kind === Kind.FIELD ? 1 : 0;
      const times = own === 1 ? this.objectTypes(type) : 1;
      const fields = own + inside.fields;
      sum.fields += times * fields;
      sum.reads += times * ((this.reads(selection, type) ? 1 : 0) + inside.reads);
      sum.characters += times * (inside.characters + fields * segmentLength(selection));
      sum.characters += times * argumentsLength(selection);
    }
    return sum;
  }

  /** Whether a selection is a field below the root that takes arguments; introspection is measured by its values. */
  private reads(selection: SelectionNode, type: GraphQLNamedType | undefined): boolean {
    if (selection.kind !== Kind.FIELD || !isObjectType(type) || isIntrospectionType(type))
      return false;
    const field = type.getFields()[selection.name.value];
    return !this.roots.includes(type) && field !== undefined && field.args.length > 0;
  }

  /** Size of what is selected in a field or fragment. */
  private inside(selection: SelectionNode, type: GraphQLNamedType | undefined): Extent {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.fragment(selection.name.value, type);
    if (!selection.selectionSet) return NOTHING;
    const inner =
      selection.kind === Kind.FIELD
        ? this.typeOf(type, selection.name.value)
        : this.narrowType(type, selection.typeCondition?.name.value);
    return this.count(selection.selectionSet, inner);
  }

  private fragment(name: string, type: GraphQLNamedType | undefined): Extent {
    const key = `${name} ${type?.name}`;
    const known = this.known.get(key);
    if (known) return known;
    const fragment = this.fragments.get(name);
    if (!fragment) return NOTHING;
    const inside = this.narrowType(type, fragment.typeCondition.name.value);
    const extent = this.count(fragment.selectionSet, inside);
    this.known.set(key, extent);
    return extent;
  }

  /** The type that a fragment's fields are counted for. An object type is never widened. */
  private narrowType(type: GraphQLNamedType | undefined, condition: string | undefined) {
    if (condition === undefined || isObjectType(type)) return type;
    return this.schema.getType(condition) ?? type;
  }

  private objectTypes(type: GraphQLNamedType | undefined): number {
    return isAbstractType(type) ? this.schema.getPossibleTypes(type).length : 1;
  }

  private typeOf(parent: GraphQLNamedType | undefined, name: string) {
    const meta = [SchemaMetaFieldDef, TypeMetaFieldDef].find((each) => each.name === name);
    if (meta) return getNamedType(meta.type);
    if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
    const field = parent.getFields()[name];
    return field && getNamedType(field.type);
  }
}

const NOTHING: Extent = { fields: 0, characters: 0, reads: 0 };

/** Characters that a selection adds to the path of each field in it: its response key and directives. */
function segmentLength(selection: SelectionNode): number {
  const key = selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value.length : 0;
  return key + lengthOf(selection.directives);
}

function argumentsLength(selection: SelectionNode): number {
  return selection.kind === Kind.FIELD ? lengthOf(selection.arguments) : 0;
}

function lengthOf(nodes: readonly ASTNode[] | undefined): number {
  return (nodes ?? []).reduce((sum, { loc }) => sum + (loc ? loc.end - loc.start : 0), 0);
}
