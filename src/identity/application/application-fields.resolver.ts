import { GraphQLSafeInt } from "graphql-scalars";
import { Arg, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { AccountType } from "../account/account.type";
import type { IdentityContext } from "../context";
import {
  ApplicationSessions,
  ApplicationType,
  ApplicationUsers,
  showApplication,
} from "./application.type";
import { pageOfSessions, pageOfUsers } from "./application-lists";
import { listApplications } from "./owned-applications";

const SKIP = { nullable: true, description: "How many to skip; 0 by default." } as const;
const TAKE = {
  nullable: true,
  description: "How many at most; 100 by default, and no more than that.",
} as const;

@Resolver(() => ApplicationType)
export class ApplicationFieldsResolver {
  @FieldResolver(() => ApplicationUsers, { description: "Users of the application." })
  async users(
    @Root() { id }: ApplicationType,
    @Ctx() { identity }: IdentityContext,
    @Arg("offset", () => GraphQLSafeInt, SKIP) offset?: number | null,
    @Arg("limit", () => GraphQLSafeInt, TAKE) limit?: number | null,
    @Arg("search", () => String, {
      nullable: true,
      description: "Only users whose login or e-mail begins with this, without regard to case.",
    })
    search?: string | null,
  ): Promise<ApplicationUsers> {
    const page = await pageOfUsers(identity, id, { offset, limit, search });
    return { page, nodes: page.nodes, offset: page.offset, limit: page.limit };
  }

  @FieldResolver(() => ApplicationSessions, {
    description: "Sessions of the application that have not ended.",
  })
  async sessions(
    @Root() { id }: ApplicationType,
    @Ctx() { identity }: IdentityContext,
    @Arg("offset", () => GraphQLSafeInt, SKIP) offset?: number | null,
    @Arg("limit", () => GraphQLSafeInt, TAKE) limit?: number | null,
  ): Promise<ApplicationSessions> {
    const page = await pageOfSessions(identity, id, { offset, limit });
    return { page, nodes: page.nodes, offset: page.offset, limit: page.limit };
  }
}

@Resolver(() => AccountType)
export class AccountFieldsResolver {
  @FieldResolver(() => [ApplicationType], { description: "The account's applications." })
  async applications(
    @Root() { id }: AccountType,
    @Ctx() { identity }: IdentityContext,
  ): Promise<ApplicationType[]> {
    return (await listApplications(identity, id)).map(showApplication);
  }
}

@Resolver(() => ApplicationUsers)
export class ApplicationUsersResolver {
  @FieldResolver(() => GraphQLSafeInt, { description: "How many there are in all." })
  totalCount(@Root() { page }: ApplicationUsers): Promise<number> {
    return page.total();
  }
}

@Resolver(() => ApplicationSessions)
export class ApplicationSessionsResolver {
  @FieldResolver(() => GraphQLSafeInt, { description: "How many there are in all." })
  totalCount(@Root() { page }: ApplicationSessions): Promise<number> {
    return page.total();
  }
}
