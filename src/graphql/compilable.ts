import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";

/**
 * Whether graphql-jit can read the variables of an operation as graphql does. It writes code for every
 * field of every input, one inside the other, so an input that holds itself would never end; and it
 * does not know inputs of which exactly one field is given (@oneOf).
 */
export function isCompilable(schema: GraphQLSchema, operation: OperationDefinitionNode): boolean {
  return (operation.variableDefinitions ?? []).every(({ type: node }) => {
    const type = typeFromAST(schema, node);
    return isInputType(type) && isPlain(type, []);
  });
}

function isPlain(type: GraphQLInputType, around: readonly GraphQLInputType[]): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return true;
  if (named.isOneOf || around.includes(named)) return false;
  const inside = [...around, named];
  return Object.values(named.getFields()).every((field) => isPlain(field.type, inside));
}
