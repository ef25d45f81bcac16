import {
  BREAK,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from "graphql";

/**
 * Whether graphql-jit runs an operation as graphql does. It writes code for every field of every input
 * that is a variable, one inside the other, so an input that holds itself would never end; it does not
 * know inputs of which exactly one field is given (@oneOf); and in an input that stands in the
 * document, `{ name: $name }`, it takes a variable that is left out for null, which would clear what is
 * to stay (GraphQL specification, "Input Objects", input coercion).
 * @param document holds the operation and its fragments
 */
export function isCompilable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const plain = (operation.variableDefinitions ?? []).every(({ type: node }) => {
    const type = typeFromAST(schema, node);
    return isInputType(type) && isPlain(type, []);
  });
  return plain && !mayLeaveOutField(document, operation);
}

function isPlain(type: GraphQLInputType, around: readonly GraphQLInputType[]): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return true;
  if (named.isOneOf || around.includes(named)) return false;
  const inside = [...around, named];
  return Object.values(named.getFields()).every((field) => isPlain(field.type, inside));
}

/** Whether a field of an input in the document is a variable that callers may leave out. */
function mayLeaveOutField(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const optional = new Set(
    (operation.variableDefinitions ?? [])
      .filter(({ type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE && !defaultValue)
      .map(({ variable }) => variable.name.value),
  );
  if (optional.size === 0) return false;
  let found = false;
  visit(document, {
    ObjectField({ value }) {
      if (value.kind !== Kind.VARIABLE || !optional.has(value.name.value)) return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
