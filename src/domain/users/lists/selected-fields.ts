import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from "graphql";

/**
 * Returns whether an operation selects one of these fields directly below the field being resolved, also
 * through fragments. A field that `@skip` or `@include` excludes counts as selected.
 */
export function selectsField(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, "fieldNodes" | "fragments">,
  names: readonly string[],
): boolean {
  const within = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((node) => {
      if (node.kind === Kind.FIELD) return names.includes(node.name.value);
      return within(
        node.kind === Kind.INLINE_FRAGMENT
          ? node.selectionSet
          : fragments[node.name.value]?.selectionSet,
      );
    }) ?? false;
  return fieldNodes.some((node) => within(node.selectionSet));
}
