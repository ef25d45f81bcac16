import type { GraphQLResolveInfo } from "graphql";
import { GraphQLSafeInt } from "graphql-scalars";
import { Arg, Ctx, FieldResolver, Info, Query, Resolver, Root } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { selects } from "./selected-fields";
import { cursorAt } from "./user.resolver";
import { UserType } from "./user.type";
import { UserEdge } from "./user-list.type";
import { pageUsers, usersByFullName, usersByTags } from "./user-page";
import { UserConditionInput, UserOrderInput, UserPage } from "./user-page.type";

const PAGE = { nullable: true, description: "Which page, from 1; the first by default." } as const;
const PER_PAGE = {
  nullable: true,
  description: "How many on a page; 10 by default, and no more than 100.",
} as const;
const INSTEAD = "Use users.";

/** The lists of before `users`, for clients that know pages by number. */
@Resolver(() => UserPage)
export class UserPageResolver {
  @Allow("user")
  @Query(() => UserPage, {
    description:
      "Users of the application by the language of the V1 list; refused unless the application's user settings enable that list.",
    deprecationReason: INSTEAD,
  })
  async usersPage(
    @Ctx() { identity, visit }: IdentityContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("filter", () => [UserConditionInput], {
      nullable: true,
      description: "Conditions, all of which hold.",
    })
    filter?: UserConditionInput[] | null,
    @Arg("order", () => UserOrderInput, {
      nullable: true,
      description: "In which order; by id when left out.",
    })
    order?: UserOrderInput | null,
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const counted = selects(info, ["totalCount"]);
    const viewer = await visit.user();
    return pageUsers(identity, viewer, { filter, order, page, perPage, counted });
  }

  @Allow("user")
  @Query(() => UserPage, {
    description: "Users of exactly this name, by id.",
    deprecationReason: INSTEAD,
  })
  async usersByFullName(
    @Ctx() { identity, visit }: IdentityContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("fullName", { description: "The name." }) fullName: string,
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const counted = selects(info, ["totalCount"]);
    const viewer = await visit.user();
    return usersByFullName(identity, viewer, fullName, { page, perPage, counted });
  }

  @Allow("user")
  @Query(() => UserPage, {
    description: "Users who have any of these tags, by id.",
    deprecationReason: INSTEAD,
  })
  async usersByTags(
    @Ctx() { identity, visit }: IdentityContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("tags", () => [String], { description: "The tags." }) tags: string[],
    @Arg("page", () => GraphQLSafeInt, PAGE) page?: number | null,
    @Arg("perPage", () => GraphQLSafeInt, PER_PAGE) perPage?: number | null,
  ): Promise<UserPage> {
    const counted = selects(info, ["totalCount"]);
    return usersByTags(identity, await visit.user(), tags, { page, perPage, counted });
  }

  @FieldResolver(() => [UserType], { description: "The users." })
  nodes(@Root() { list }: UserPage): UserType[] {
    return list.users;
  }

  @FieldResolver(() => [UserEdge], { description: "The users with their places." })
  edges(@Root() { list }: UserPage): UserEdge[] {
    return list.users.map((node, index) => ({ node, cursor: cursorAt(list.offset + index) }));
  }

  @FieldResolver(() => GraphQLSafeInt, { description: "Users on all pages." })
  totalCount(@Root() { list }: UserPage): Promise<number> {
    return list.total();
  }
}
