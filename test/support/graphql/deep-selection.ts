import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from "graphql";

/**
 * Selects every field of a subscription, on all levels, so that also the loads of fields of its objects are seen. A type is
 * not selected again inside of itself.
 */
export function everythingOf(schema: GraphQLSchema, subscription: string): string {
  const field = schema.getSubscriptionType()?.getFields()[subscription];
  if (!field) throw new Error(`no subscription ${subscription}`);
  return selectionOf(schema, getNamedType(field.type), []);
}

function selectionOf(schema: GraphQLSchema, type: GraphQLNamedType, around: string[]): string {
  if (isInterfaceType(type)) {
    const parts = schema
      .getPossibleTypes(type)
      // The same name may have another type in each part.
      .map((each) => `... on ${each.name} { ${fieldsOf(schema, each, around, `${each.name}_`)} }`);
    return `{ ${parts.join(" ")} }`;
  }
  return isObjectType(type) ? `{ ${fieldsOf(schema, type, around, "")} }` : "";
}

function fieldsOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  around: string[],
  prefix: string,
): string {
  const inside = [...around, type.name];
  return Object.values(type.getFields())
    .filter((field) => !inside.includes(getNamedType(field.type).name))
    .map((field) => {
      const name = prefix === "" ? field.name : `${prefix}${field.name}: ${field.name}`;
      return `${name} ${selectionOf(schema, getNamedType(field.type), inside)}`;
    })
    .join(" ");
}
