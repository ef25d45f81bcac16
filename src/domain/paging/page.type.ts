import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";
import type { Page } from "./page";

@ObjectType({
  description: "Position of a page in its list (Relay cursor connections).",
  simpleResolvers: true,
})
export class PageInfo {
  @Field({ description: "Whether entries follow the page." })
  hasNextPage!: boolean;

  @Field({ description: "Whether there are entries before the page." })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Cursor of the first entry; pass it as before for the previous page.",
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Cursor of the last entry; pass it as after for the next page.",
  })
  endCursor!: string | null;
}

/** The arguments that select a page. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    description:
      "Number of entries from the start of the page: 100 by default. A larger number counts as 100, unless the list says otherwise.",
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: "Cursor that the page begins after." })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of entries from the end of the page, instead of first.",
  })
  last?: number | null;

  @Field(() => String, { nullable: true, description: "Cursor that the page ends before." })
  before?: string | null;
}

/** An entry of a page, with its position in the list. */
export interface Edge<T> {
  cursor: string;
  node: T;
}

/** A page as GraphQL shows it. */
export interface Connection<T> {
  edges: Edge<T>[];
  nodes: T[];
  pageInfo: PageInfo;
}

/**
 * Declares the type of the edges of a list.
 * @param name of the type in the schema
 * @param one the word for an entry, such as "call"
 * @param type of an entry
 */
export function edgeOf<T>(
  name: string,
  one: string,
  type: () => ClassType<object>,
): ClassType<Edge<T>> {
  @ObjectType(name, {
    description: `One ${one} of a list, with its cursor.`,
    simpleResolvers: true,
  })
  class ListEdge implements Edge<T> {
    @Field({ description: `Cursor of the ${one}.` })
    cursor!: string;

    @Field(type, { description: `The ${one}.` })
    node!: T;
  }
  return ListEdge;
}

/**
 * Declares the fields of a connection, which a class of its own extends.
 * @param edge the type of its edges, by {@link edgeOf}
 * @param many the word for the entries, such as "calls"
 * @param type of an entry
 */
export function connectionOf<T>(
  edge: ClassType<Edge<T>>,
  many: string,
  type: () => ClassType<object>,
) {
  @ObjectType({ simpleResolvers: true })
  abstract class ListConnection implements Connection<T> {
    @Field(() => [edge], { description: `The ${many} with their cursors.` })
    edges!: Edge<T>[];

    @Field(() => [type()], { description: `The ${many}.` })
    nodes!: T[];

    @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
    pageInfo!: PageInfo;
  }
  return ListConnection;
}

/** Converts a page. @param cursorOf the cursor of an entry; in a list by id the id */
export function toConnection<T extends { id: number | string }>(
  { nodes, hasNextPage, hasPreviousPage }: Page<T>,
  cursorOf: (node: T) => string = ({ id }) => String(id),
): Connection<T> {
  const edges = nodes.map((node) => ({ cursor: cursorOf(node), node }));
  return {
    edges,
    nodes,
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
