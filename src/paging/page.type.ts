import { ArgsType, Field, Int, ObjectType } from "type-graphql";
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

/** A page as GraphQL shows it. */
export interface Connection<T> {
  edges: Array<{ cursor: string; node: T }>;
  nodes: T[];
  pageInfo: PageInfo;
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
