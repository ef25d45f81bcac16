import type { GraphQLResolveInfo } from "graphql";
import { GraphQLSafeInt } from "graphql-scalars";
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Info,
  ObjectType,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { Allow } from "../../access/request-auth";
import { Fault } from "../../core/errors";
import { UserType } from "../user.type";
import type { UserContext } from "../user-deps";
import { selectsField } from "./selected-fields";
import { listUsers } from "./user-list";
import { PageInfo, UserEdge, UserFilterInput, UserSortInput } from "./user-list.type";
import { type UserList } from "./user-list-queries";

@ObjectType({
  description: "A page of users: as Relay edges, and as plain nodes with offset and limit.",
})
export class UserConnection {
  list!: UserList;

  @Field(() => GraphQLSafeInt, { description: "Number of skipped users." })
  offset!: number;

  @Field(() => GraphQLSafeInt, { description: "Maximum number of users of the page, as applied." })
  limit!: number;
}

@Resolver(() => UserConnection)
export class UserConnectionResolver {
  @FieldResolver(() => [UserType], { description: "The users." })
  nodes(@Root() { list }: UserConnection): UserType[] {
    return list.users;
  }

  @FieldResolver(() => [UserEdge], { description: "The users with their cursors." })
  edges(@Root() { list }: UserConnection): UserEdge[] {
    return list.users.map((node, index) => ({ node, cursor: encodePosition(list.offset + index) }));
  }

  @FieldResolver(() => GraphQLSafeInt, {
    description: "Number of all users that the filter matches.",
  })
  totalCount(@Root() { list }: UserConnection): Promise<number> {
    return list.total();
  }

  @FieldResolver(() => PageInfo, {
    description: "Position of the page, and whether there are more.",
  })
  async pageInfo(@Root() { list }: UserConnection): Promise<PageInfo> {
    const end = list.offset + list.users.length;
    return {
      hasNextPage: end < (await list.total()),
      hasPreviousPage: list.offset > 0,
      startCursor: list.users.length > 0 ? encodePosition(list.offset) : null,
      endCursor: list.users.length > 0 ? encodePosition(end - 1) : null,
    };
  }
}

@Resolver()
export class UserListResolver {
  @Allow("user")
  @Query(() => UserConnection, {
    description:
      "Users of the application that match a filter, at most 100 per page. Page with offset and limit, or with first and after.",
  })
  async users(
    @Ctx() context: UserContext,
    @Arg("filter", () => UserFilterInput, { description: "The filter." }) filter: UserFilterInput,
    @Arg("sort", () => UserSortInput, { nullable: true, description: "The order." })
    sort?: UserSortInput | null,
    @Arg("offset", () => GraphQLSafeInt, {
      nullable: true,
      description: "Number of users to skip; 0 by default.",
    })
    offset?: number | null,
    @Arg("limit", () => GraphQLSafeInt, {
      nullable: true,
      description: "Maximum number of users; 100 by default, which is also the maximum.",
    })
    limit?: number | null,
    @Arg("first", () => GraphQLSafeInt, {
      nullable: true,
      description: "Alias of limit, for Relay.",
    })
    first?: number | null,
    @Arg("after", () => String, {
      nullable: true,
      description: "Cursor of the last user seen; replaces offset.",
    })
    after?: string | null,
    @Info() info?: GraphQLResolveInfo,
  ): Promise<UserConnection> {
    const list = await listUsers(context.users, await context.auth.user(), {
      filter,
      sort,
      offset: after ? decodePosition(after) + 1 : offset,
      limit: first ?? limit,
      withTotal: info && selectsField(info, ["totalCount", "pageInfo"]),
    });
    return { list, offset: list.offset, limit: list.limit };
  }
}

/** Encodes a position in a list, counted from 0, as a cursor. */
export function encodePosition(position: number): string {
  return Buffer.from(`place:${position}`).toString("base64url");
}

function decodePosition(cursor: string): number {
  const match = /^place:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString());
  if (!match) throw Fault.field("after", "is not a cursor of this list");
  return Number(match[1]);
}
