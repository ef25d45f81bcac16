import type { ASTNode } from "graphql";
import { Directive } from "type-graphql";

const LEGACY = "legacy";

/**
 * Marks an operation, a field, an argument or an input field that only the REST documents use. The published schema does
 * not have it (graphql/published-schema.ts), so clients of GraphQL neither see nor use it.
 *
 * It is a directive, because type-graphql inherits no extensions of input fields.
 */
export function Legacy(): MethodDecorator & PropertyDecorator {
  return Directive(`@${LEGACY}`);
}

/** Whether a member of the schema is marked by {@link Legacy}. */
export function isLegacy({ astNode }: { astNode?: ASTNode | null | undefined }): boolean {
  return (
    astNode != null &&
    "directives" in astNode &&
    astNode.directives?.some(({ name }) => name.value === LEGACY) === true
  );
}
