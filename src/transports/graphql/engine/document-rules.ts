import {
  type ASTVisitor,
  GraphQLError,
  OperationTypeNode,
  type SelectionNode,
  type ValidationContext,
} from "graphql";
import { Fault } from "../../../core/errors";

/** Maximum nesting of lists and objects in a value, in documents and in variables. */
export const VALUE_LEVELS = 64;

/** Limits the nesting of values in the document to {@link VALUE_LEVELS}. */
export function valueDepthRule(context: ValidationContext): ASTVisitor {
  let depth = 0;
  const enter = (): false | undefined => {
    depth += 1;
    if (depth <= VALUE_LEVELS) return undefined;
    const message = `A value of the document nests deeper than ${VALUE_LEVELS} levels`;
    context.reportError(
      new GraphQLError(message, { originalError: new Fault("TOO_LARGE", message) }),
    );
    depth -= 1;
    return false;
  };
  const leave = () => {
    depth -= 1;
  };
  return { ListValue: { enter, leave }, ObjectValue: { enter, leave } };
}

/**
 * Rejects @skip and @include on the root field of a subscription (GraphQL specification, "Single Root
 * Field"): the root field would depend on variables, or be missing. graphql throws in both cases.
 */
export function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return;
      const spread = new Set<string>();
      const pending: SelectionNode[] = [...selectionSet.selections];
      for (let next = pending.pop(); next; next = pending.pop()) {
        const conditions = (next.directives ?? []).filter(({ name }) => CONDITIONS.has(name.value));
        if (conditions.length > 0) {
          const message = "The root field of a subscription must not have @skip or @include";
          context.reportError(new GraphQLError(message, { nodes: conditions }));
        }
        if (next.kind === "InlineFragment") pending.push(...next.selectionSet.selections);
        if (next.kind !== "FragmentSpread" || spread.has(next.name.value)) continue;
        spread.add(next.name.value);
        const fragment = context.getFragment(next.name.value);
        pending.push(...(fragment?.selectionSet.selections ?? []));
      }
    },
  };
}

const CONDITIONS = new Set(["skip", "include"]);
