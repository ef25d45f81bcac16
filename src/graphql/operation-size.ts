import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";

/** How much an operation asks for, once every fragment stands where it is spread. */
export interface OperationSize {
  /** Response keys at the root. Each runs a resolver of its own, so this is what counts as work. */
  rootFields: number;
  /** Fields on all levels. A field of an interface or union counts once for each object type of it. */
  fields: number;
  /** Whether the operation reads the schema (`__schema` or `__type`). */
  introspection: boolean;
}

/**
 * Measures a valid operation. It takes time in proportion to the document, also where fragments spread
 * each other twice: each fragment is measured once for each type.
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
    fields: new FieldCounter(schema, fragments).count(operation.selectionSet, root),
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

/** The names of the root's fields by response key. */
function rootKeys(root: SelectionSetNode, fragments: Fragments): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  const spread = new Set<string>();
  const waiting: SelectionNode[] = [...root.selections];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.kind === Kind.FIELD) {
      const key = next.alias?.value ?? next.name.value;
      keys.set(key, (keys.get(key) ?? new Set()).add(next.name.value));
    } else if (next.kind === Kind.INLINE_FRAGMENT) {
      waiting.push(...next.selectionSet.selections);
    } else if (!spread.has(next.name.value)) {
      spread.add(next.name.value);
      waiting.push(...(fragments.get(next.name.value)?.selectionSet.selections ?? []));
    }
  }
  return keys;
}

/** Counts the fields of selection sets, each fragment once for each type it is spread on. */
class FieldCounter {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
  ) {}

  count({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): number {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet;
        const fields = inner ? this.count(inner, this.typeOf(type, selection.name.value)) : 0;
        sum += (1 + fields) * this.objectTypes(type);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value;
        sum += this.count(selection.selectionSet, this.narrower(type, condition));
      } else {
        sum += this.countFragment(selection.name.value, type);
      }
    }
    return sum;
  }

  private countFragment(name: string, type: GraphQLNamedType | undefined): number {
    const key = `${name} ${type?.name}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const fragment = this.fragments.get(name);
    if (!fragment) return 0;
    const inside = this.narrower(type, fragment.typeCondition.name.value);
    const fields = this.count(fragment.selectionSet, inside);
    this.known.set(key, fields);
    return fields;
  }

  /** The type that a fragment's fields are collected for: an object type never widens. */
  private narrower(type: GraphQLNamedType | undefined, condition: string | undefined) {
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
