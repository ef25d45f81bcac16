import {
  type ASTNode,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";
import { isLegacy } from "../../domain/access/legacy";

/** A field, an argument or an input field, as a type's configuration has it. */
interface Member {
  type: GraphQLType;
  args?: Record<string, Member>;
  astNode?: ASTNode | null | undefined;
}

/**
 * The schema that clients see and use: without the members that `@Legacy` marks, and without the types that only those
 * need. It shares the resolvers of the given schema.
 */
export function publishedSchema(complete: GraphQLSchema): GraphQLSchema {
  const copies = new Map<GraphQLType, GraphQLType>();

  const copyOf = <T extends GraphQLType>(type: T): T => {
    let copy = copies.get(type);
    if (!copy) {
      copy = newCopy(type);
      copies.set(type, copy);
    }
    return copy as T;
  };

  /** Fields are copied on demand, because types refer to each other in cycles. */
  const newCopy = (type: GraphQLType): GraphQLType => {
    if (isNonNullType(type)) return new GraphQLNonNull(copyOf(type.ofType));
    if (isListType(type)) return new GraphQLList(copyOf(type.ofType));
    if (isObjectType(type)) {
      const { fields, interfaces, ...config } = type.toConfig();
      return new GraphQLObjectType({
        ...config,
        interfaces: interfaces.map(copyOf),
        fields: () => published(fields),
      });
    }
    if (isInterfaceType(type)) {
      const { fields, interfaces, ...config } = type.toConfig();
      return new GraphQLInterfaceType({
        ...config,
        interfaces: interfaces.map(copyOf),
        fields: () => published(fields),
      });
    }
    if (isInputObjectType(type)) {
      const { fields, ...config } = type.toConfig();
      return new GraphQLInputObjectType({ ...config, fields: () => published(fields) });
    }
    if (isUnionType(type)) {
      const { types, ...config } = type.toConfig();
      return new GraphQLUnionType({ ...config, types: () => types.map(copyOf) });
    }
    return type;
  };

  const published = <M extends Member>(members: Record<string, M>): Record<string, M> =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, member]) => {
        if (isLegacy(member)) return [];
        const { type, args } = member;
        return [[name, { ...member, type: copyOf(type), ...(args && { args: published(args) }) }]];
      }),
    );

  const { query, mutation, subscription, types, ...config } = complete.toConfig();
  return new GraphQLSchema({
    ...config,
    query: query && copyOf(query),
    mutation: mutation && copyOf(mutation),
    subscription: subscription && copyOf(subscription),
    // The types of objects behind an interface, to which no field refers. The schema adds what fields refer to.
    types: types
      .filter((type) => isObjectType(type) && type.getInterfaces().length > 0)
      .map(copyOf),
  });
}
