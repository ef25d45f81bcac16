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

/** One key of a response. */
export interface SelectedField {
  key: string;
  type: GraphQLOutputType;
  description?: string | null;
  omit?: OmitDirective;
  csv: boolean;
  /** False if `@skip`, `@include` or a fragment on a narrower type may exclude the key. */
  alwaysPresent: boolean;
  /** First node that selects the key. */
  node: FieldNode;
  /** Selection of an object. */
  selection?: Selection;
}

/** The keys of an object in a response, in order, with fragments expanded. */
export interface Selection {
  fields: SelectedField[];
  /** Name of the fragment, if the whole selection is a single fragment. */
  fragment?: string;
}

interface Collected {
  field: SelectedField;
  sets: SelectionSetNode[];
}

/**
 * Reads a validated selection set: the keys of the response, their types and their REST directives.
 * @param schema the schema with the REST directives
 * @param fragments of all documents, by name
 */
export function readSelection(
  schema: GraphQLSchema,
  parent: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Selection {
  const collected = new Map<string, Collected>();

  const collect = (set: SelectionSetNode, type: GraphQLCompositeType, alwaysPresent: boolean) => {
    for (const node of set.selections) {
      const conditional = node.directives?.some(({ name }) => /^(skip|include)$/.test(name.value));
      const unconditional = alwaysPresent && !conditional;
      if (node.kind === Kind.FIELD) {
        addField(node, type, unconditional);
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      if (!fragment) continue;
      const condition = fragment.typeCondition;
      const narrowed = condition ? typeFromAST(schema, condition) : type;
      if (isCompositeType(narrowed)) {
        collect(fragment.selectionSet, narrowed, unconditional && narrowed === type);
      }
    }
  };

  const addField = (node: FieldNode, type: GraphQLCompositeType, alwaysPresent: boolean) => {
    const key = (node.alias ?? node.name).value;
    const known = collected.get(key);
    if (known) {
      if (node.selectionSet) known.sets.push(node.selectionSet);
      known.field.alwaysPresent ||= alwaysPresent;
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
        alwaysPresent,
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
