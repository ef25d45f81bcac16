import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  typeFromAST,
} from "graphql";
import { type OmitDirective, readCsv, readOmit } from "./directives";

/** One key of an answer. */
export interface SelectedField {
  key: string;
  type: GraphQLOutputType;
  description?: string | null;
  omit?: OmitDirective;
  csv: boolean;
  /** False where `@skip`, `@include` or a fragment on a narrower type may leave the key away. */
  certain: boolean;
  /** Where it stands first. */
  node: FieldNode;
  /** What is selected of an object. */
  selection?: Selection;
}

/** The keys of an object in an answer, in their order, with fragments spread out. */
export interface Selection {
  fields: SelectedField[];
  /** Name of the fragment, where the whole selection is one. */
  fragment?: string;
}

interface Collected {
  field: SelectedField;
  sets: SelectionSetNode[];
}

/**
 * Reads a validated selection set: what the keys of the answer are, of which types, and which of them
 * carry a directive of ours.
 * @param schema with the directives
 * @param fragments of all documents, by name
 */
export function readSelection(
  schema: GraphQLSchema,
  parent: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Selection {
  const collected = new Map<string, Collected>();

  const collect = (set: SelectionSetNode, type: GraphQLCompositeType, certain: boolean) => {
    for (const node of set.selections) {
      const conditional = node.directives?.some(({ name }) => /^(skip|include)$/.test(name.value));
      const sure = certain && !conditional;
      if (node.kind === Kind.FIELD) {
        addField(node, type, sure);
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      if (!fragment) continue;
      const condition = fragment.typeCondition;
      const narrowed = condition ? typeFromAST(schema, condition) : type;
      if (isCompositeType(narrowed)) {
        collect(fragment.selectionSet, narrowed, sure && narrowed === type);
      }
    }
  };

  const addField = (node: FieldNode, type: GraphQLCompositeType, certain: boolean) => {
    const key = (node.alias ?? node.name).value;
    const known = collected.get(key);
    if (known) {
      if (node.selectionSet) known.sets.push(node.selectionSet);
      known.field.certain ||= certain;
      return;
    }
    const definition =
      node.name.value === TypeNameMetaFieldDef.name
        ? TypeNameMetaFieldDef
        : isObjectType(type) || isInterfaceType(type)
          ? type.getFields()[node.name.value]
          : undefined;
    if (!definition) return;
    collected.set(key, {
      field: {
        key,
        type: definition.type,
        description: definition.description,
        omit: readOmit(schema, node),
        csv: readCsv(schema, node),
        certain,
        node,
      },
      sets: node.selectionSet ? [node.selectionSet] : [],
    });
  };

  for (const set of sets) collect(set, parent, true);
  const fields = [...collected.values()].map(({ field, sets: inner }) => {
    const type = getNamedType(field.type);
    return isCompositeType(type) && inner.length > 0
      ? { ...field, selection: readSelection(schema, type, inner, fragments) }
      : field;
  });
  return { fields, fragment: soleFragment(sets, parent, fragments) };
}

function soleFragment(
  sets: readonly SelectionSetNode[],
  parent: GraphQLCompositeType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string | undefined {
  const node = sets.length === 1 && sets[0]?.selections.length === 1 && sets[0].selections[0];
  if (!node || node.kind !== Kind.FRAGMENT_SPREAD || node.directives?.length) return undefined;
  const name = node.name.value;
  return fragments.get(name)?.typeCondition.name.value === parent.name ? name : undefined;
}
