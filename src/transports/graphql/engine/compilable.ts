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
 * Counts the inputs for which graphql-jit generates code when it compiles an operation. It generates nested
 * code for every field of every variable, and twice for list items, because a single item is coerced to a
 * list.
 * @param document contains the operation and its fragments
 * @returns Infinity if the operation must not be compiled: it has a recursive input, for which code
 * generation would not terminate, or a @oneOf input, which graphql-jit does not support, or
 * {@link runsDifferently} applies
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
 * Whether graphql-jit would run the document differently than graphql:
 * - An optional variable as an input field, `{ name: $name }`: if omitted, graphql-jit passes null, which
 *   clears the value (GraphQL specification, "Input Objects", input coercion).
 * - A nullable variable in a non-null position.
 * - Names of Object.prototype, such as `constructor`: graphql-jit finds them although they were not given.
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
