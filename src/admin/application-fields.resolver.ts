import { GraphQLSafeInt } from "graphql-scalars";
import { Arg, Ctx, FieldResolver, ID, Resolver, Root } from "type-graphql";
import { AccountType } from "../accounts/account.type";
import {
  ApplicationType,
  ListedApplication,
  toGraphqlApplication,
} from "../applications/application.type";
import { listApplications } from "../applications/owned-applications";
import { Fault } from "../core/errors";
import { UserType } from "../users/user.type";
import { findUser } from "../users/user-queries";
import type { AdminContext } from "./admin-deps";
import { listApplicationSessions, listApplicationUsers } from "./application-lists";
import { ApplicationSessions, ApplicationUsers } from "./application-lists.type";

const AFTER = {
  nullable: true,
  description:
    "Id of the last entry seen; the page starts after it. Unlike offset, it neither repeats nor misses entries when the list changes.",
} as const;
const SKIP = { nullable: true, description: "Number of entries to skip; 0 by default." } as const;
const TAKE = {
  nullable: true,
  description: "Maximum number of entries; 100 by default, which is also the maximum.",
} as const;

const COUNT = { description: "Total number of entries, counted up to 10,000." } as const;
const EXACT = { description: "Whether totalCount is exact; false beyond 10,000." } as const;

@Resolver(() => ApplicationType)
export class ApplicationFieldsResolver {
  @FieldResolver(() => ApplicationUsers, { description: "Users of the application." })
  async users(
    @Root() { id }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Arg("offset", () => GraphQLSafeInt, SKIP) offset?: number | null,
    @Arg("limit", () => GraphQLSafeInt, TAKE) limit?: number | null,
    @Arg("after", () => ID, AFTER) after?: string | null,
    @Arg("search", () => String, {
      nullable: true,
      description: "Only users whose login or e-mail starts with this text; case-insensitive.",
    })
    search?: string | null,
  ): Promise<ApplicationUsers> {
    const page = await listApplicationUsers(admin, id, { after, offset, limit, search });
    return { page, nodes: page.nodes, offset: page.offset, limit: page.limit };
  }

  @FieldResolver(() => UserType, { description: "One user of the application." })
  async user(
    @Root() { id: applicationId }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Arg("id", () => ID, { description: "The user." }) id: string,
  ): Promise<UserType> {
    const user = await findUser(admin, applicationId, { id });
    if (user === null) throw new Fault("NOT_FOUND", "There is no such user");
    return user;
  }

  @FieldResolver(() => ApplicationSessions, {
    description: "Live sessions of the application.",
  })
  async sessions(
    @Root() { id }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Arg("offset", () => GraphQLSafeInt, SKIP) offset?: number | null,
    @Arg("limit", () => GraphQLSafeInt, TAKE) limit?: number | null,
    @Arg("after", () => ID, AFTER) after?: string | null,
  ): Promise<ApplicationSessions> {
    const page = await listApplicationSessions(admin, id, { after, offset, limit });
    return { page, nodes: page.nodes, offset: page.offset, limit: page.limit };
  }
}

@Resolver(() => AccountType)
export class AccountFieldsResolver {
  @FieldResolver(() => [ListedApplication], { description: "The account's applications." })
  async applications(
    @Root() { id }: AccountType,
    @Ctx() { admin }: AdminContext,
  ): Promise<ListedApplication[]> {
    return (await listApplications(admin, id)).map(toGraphqlApplication);
  }
}

@Resolver(() => ApplicationUsers)
export class ApplicationUsersResolver {
  @FieldResolver(() => GraphQLSafeInt, COUNT)
  async totalCount(@Root() { page }: ApplicationUsers): Promise<number> {
    return (await page.total()).count;
  }

  @FieldResolver(() => Boolean, EXACT)
  async totalIsExact(@Root() { page }: ApplicationUsers): Promise<boolean> {
    return (await page.total()).exact;
  }
}

@Resolver(() => ApplicationSessions)
export class ApplicationSessionsResolver {
  @FieldResolver(() => GraphQLSafeInt, COUNT)
  async totalCount(@Root() { page }: ApplicationSessions): Promise<number> {
    return (await page.total()).count;
  }

  @FieldResolver(() => Boolean, EXACT)
  async totalIsExact(@Root() { page }: ApplicationSessions): Promise<boolean> {
    return (await page.total()).exact;
  }
}
