import {
  type ASTVisitor,
  GraphQLError,
  OperationTypeNode,
  type SelectionNode,
  type ValidationContext,
} from "graphql";
import { Fault } from "../../core/errors";

/** Levels of lists and objects in a value at most, in a document and in variables. */
export const VALUE_LEVELS = 64;

/** A value in the document nests as deep as one in the variables may, and no deeper. */
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
 * The root field of a subscription has no @skip and no @include (GraphQL specification, "Single Root
 * Field"): without a value of its variable nobody could say which field that is, and one that is skipped
 * leaves nothing to subscribe to. graphql throws on both.
 */
export function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return;
      const spread = new Set<string>();
      const waiting: SelectionNode[] = [...selectionSet.selections];
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const conditions = (next.directives ?? []).filter(({ name }) => CONDITIONS.has(name.value));
        if (conditions.length > 0) {
          const message = "The root field of a subscription takes no @skip and no @include";
          context.reportError(new GraphQLError(message, { nodes: conditions }));
        }
        if (next.kind === "InlineFragment") waiting.push(...next.selectionSet.selections);
        if (next.kind !== "FragmentSpread" || spread.has(next.name.value)) continue;
        spread.add(next.name.value);
        const fragment = context.getFragment(next.name.value);
        waiting.push(...(fragment?.selectionSet.selections ?? []));
      }
    },
  };
}

const CONDITIONS = new Set(["skip", "include"]);
