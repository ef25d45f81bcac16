import {
  BREAK,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";

/**
 * How many inputs graphql-jit writes code for when it compiles an operation; Infinity where it would not
 * run the operation as graphql does. It writes code for every field of every input that is a variable,
 * one inside the other, so an input that holds itself would never end; a list's items are written twice,
 * as one item is taken for a list, too. It does not know inputs of which exactly one field is given
 * (@oneOf).
 * @param document holds the operation and its fragments
 */
export function countInputs(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): number {
  let inputs = 0;
  for (const { type: node } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node);
    inputs += isInputType(type) ? countInside(type, []) : Infinity;
  }
  return inputs === Infinity || runsDifferently(schema, document, operation) ? Infinity : inputs;
}

function countInside(type: GraphQLInputType, around: readonly GraphQLInputType[]): number {
  if (isNonNullType(type)) return countInside(type.ofType, around);
  if (isListType(type)) return 1 + 2 * countInside(type.ofType, around);
  if (!isInputObjectType(type)) return 1;
  if (type.isOneOf || around.includes(type)) return Infinity;
  const inside = [...around, type];
  return Object.values(type.getFields()).reduce(
    (sum, field) => sum + countInside(field.type, inside),
    1,
  );
}

/**
 * Whether the document has what graphql-jit runs differently: a variable that may be left out as a field
 * of an input, `{ name: $name }`, where it takes it for null, which would clear what is to stay (GraphQL
 * specification, "Input Objects", input coercion); a variable that may be null where null must not be;
 * and names that every JavaScript object has (`constructor`), which it finds where nothing was given.
 */
function runsDifferently(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const nullable = new Map(
    (operation.variableDefinitions ?? [])
      .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  let found = false;
  const stopIf = (differs: boolean) => {
    found ||= differs;
    return differs ? BREAK : undefined;
  };
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Name: ({ value }) => stopIf(value in Object.prototype),
      Variable: ({ name }) =>
        stopIf(nullable.has(name.value) && isNonNullType(types.getInputType())),
      ObjectField: ({ value }) =>
        stopIf(
          value.kind === Kind.VARIABLE &&
            nullable.has(value.name.value) &&
            nullable.get(value.name.value) === undefined,
        ),
    }),
  );
  return found;
}
