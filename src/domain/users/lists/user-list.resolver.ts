import type { GraphQLResolveInfo } from "graphql";
import { GraphQLSafeInt } from "graphql-scalars";
import {
  Args,
  Ctx,
  FieldResolver,
  Info,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { Legacy } from "../../access/legacy";
import { Allow, KeyScope } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import { exactTotal, type Total } from "../../paging/capped-total";
import { type Edge, PageInfo } from "../../paging/page.type";
import { UserType } from "../user.type";
import type { UserContext } from "../user-deps";
import { listApplicationUsers } from "./application-users";
import { selectsField } from "./selected-fields";
import { listUsers, type UserListPage } from "./user-list";
import { ApplicationUserArgs, UserEdge, UserListArgs } from "./user-list.type";

@ObjectType({
  description: "A page of users.",
})
export class UserConnection {
  page!: UserListPage;
  total!: () => Promise<Total>;
}

@Resolver(() => UserConnection)
export class UserConnectionResolver {
  @FieldResolver(() => [UserType], { description: "The users." })
  nodes(@Root() { page }: UserConnection): UserType[] {
    return page.list.users;
  }

  @FieldResolver(() => [UserEdge], { description: "The users with their cursors." })
  edges(@Root() { page }: UserConnection): Edge<UserType>[] {
    return page.list.users.map((node, index) => ({ node, cursor: page.cursorAt(index) }));
  }

  @FieldResolver(() => Int, {
    description:
      "Number of all users that the filter matches.\n\nIn Application.users counted up to 10,000.",
  })
  async totalCount(@Root() { total }: UserConnection): Promise<number> {
    return (await total()).count;
  }

  @FieldResolver(() => Boolean, {
    description: "Whether totalCount is exact; false beyond 10,000 in Application.users.",
  })
  async totalIsExact(@Root() { total }: UserConnection): Promise<boolean> {
    return (await total()).exact;
  }

  @FieldResolver(() => PageInfo, {
    description: "Position of the page, and whether there are more.",
  })
  pageInfo(@Root() { page }: UserConnection): PageInfo {
    const { length } = page.list.users;
    return {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: length > 0 ? page.cursorAt(0) : null,
      endCursor: length > 0 ? page.cursorAt(length - 1) : null,
    };
  }

  @Legacy()
  @FieldResolver(() => GraphQLSafeInt, { description: "Number of skipped users." })
  offset(@Root() { page }: UserConnection): number {
    return page.list.offset;
  }

  @Legacy()
  @FieldResolver(() => Int, { description: "Maximum number of users of the page, as applied." })
  limit(@Root() { page }: UserConnection): number {
    return page.list.limit;
  }
}

@Resolver()
export class UserListResolver {
  @Allow("user")
  @KeyScope("users")
  @Query(() => UserConnection, {
    description:
      "Users of the application that match a filter, at most 100 per page. By id and by the time of the sign-up, no user is skipped or repeated while others come and go; by a field that changes, a user may move.",
  })
  async users(
    @Ctx() context: UserContext,
    @Args(() => UserListArgs) { filter, sort, ...page }: UserListArgs,
    @Info() info?: GraphQLResolveInfo,
  ): Promise<UserConnection> {
    const applicationId = await context.auth.applicationId();
    const list = await listUsers(
      context.users,
      { applicationId },
      {
        filter,
        sort,
        ...page,
        isBackend: context.auth.hasApiKey,
        withTotal: info && selectsField(info, ["totalCount", "totalIsExact"]),
        withCursors: info && selectsField(info, ["edges", "pageInfo"]),
      },
    );
    return { page: list, total: exactTotal(() => list.list.total()) };
  }
}

@Resolver(() => ApplicationType)
export class ApplicationUsersResolver {
  @FieldResolver(() => UserConnection, {
    description: "Users of the application, by id unless sort or search says otherwise.",
  })
  async users(
    @Root() { id }: ApplicationType,
    @Ctx() { users }: UserContext,
    @Args(() => ApplicationUserArgs) request: ApplicationUserArgs,
  ): Promise<UserConnection> {
    const page = await listApplicationUsers(users, id, request);
    return { page, total: page.total };
  }
}
