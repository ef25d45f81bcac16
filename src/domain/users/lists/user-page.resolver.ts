import type { GraphQLResolveInfo } from "graphql";
import { GraphQLSafeInt } from "graphql-scalars";
import { Arg, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from "type-graphql";
import { Legacy } from "../../access/legacy";
import { Allow } from "../../access/request-auth";
import type { Edge } from "../../paging/page.type";
import { UserType } from "../user.type";
import type { UserContext } from "../user-deps";
import { selectsField } from "./selected-fields";
import { UserEdge } from "./user-list.type";
import { listUserPage, usersByFullName, usersByTags } from "./user-page";
import { UserConditionInput, UserOrderInput, UserPage } from "./user-page.type";

const PAGE = {
  nullable: true,
  description: "Number of the page, from 1; the first by default.",
} as const;
const PER_PAGE = {
  nullable: true,
  description: "Number of users per page; 10 by default, at most 100.",
} as const;

/** The deprecated user lists with numbered pages. */
@Resolver(() => UserPage)
export class UserPageResolver {
  @Allow("user")
  @Legacy()
  @Query(() => UserPage, {
    description:
      "Users of the application by the filter language of the V1 user list. Forbidden if the application's settings disable that list.",
  })
  async usersPage(
    @Ctx() { users, auth }: UserContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("filter", () => [UserConditionInput], {
      nullable: true,
      description: "Conditions; all must match.",
    })
    filter?: UserConditionInput[] | null,
    @Arg("order", () => UserOrderInput, {
      nullable: true,
      description: "Order of the list; by id if omitted.",
    })
    order?: UserOrderInput | null,
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const viewer = await auth.user();
    return listUserPage(users, viewer, {
      filter,
      order,
      page,
      perPage,
      withTotal: selectsField(info, ["totalCount"]),
    });
  }

  @Allow("user")
  @Legacy()
  @Query(() => UserPage, { description: "Users with exactly this name, ordered by id." })
  async usersByFullName(
    @Ctx() { users, auth }: UserContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("fullName", { description: "The name." }) fullName: string,
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const viewer = await auth.user();
    return usersByFullName(users, viewer, fullName, {
      page,
      perPage,
      withTotal: selectsField(info, ["totalCount"]),
    });
  }

  @Allow("user")
  @Legacy()
  @Query(() => UserPage, { description: "Users with any of these tags, ordered by id." })
  async usersByTags(
    @Ctx() { users, auth }: UserContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("tags", () => [String], { description: "The tags." }) tags: string[],
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const viewer = await auth.user();
    return usersByTags(users, viewer, tags, {
      page,
      perPage,
      withTotal: selectsField(info, ["totalCount"]),
    });
  }

  @FieldResolver(() => [UserEdge], { description: "The users with their cursors." })
  edges(@Root() { list }: UserPage): Edge<UserType>[] {
    return list.users.map((node, index) => ({ node, cursor: encodePosition(list.offset + index) }));
  }

  @FieldResolver(() => Int, { description: "Number of users on all pages." })
  totalCount(@Root() { list }: UserPage): Promise<number> {
    return list.total();
  }
}

/** Encodes the index of a user in a list as a cursor. No operation takes it. */
function encodePosition(index: number): string {
  return Buffer.from(`place:${index}`).toString("base64url");
}
