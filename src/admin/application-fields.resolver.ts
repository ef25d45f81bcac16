import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Resolver,
  Root,
} from "type-graphql";
import { AccountType } from "../accounts/account.type";
import {
  ApplicationType,
  ListedApplication,
  toGraphqlApplication,
} from "../applications/application.type";
import { listApplications } from "../applications/owned-applications";
import { PageArgs, toConnection } from "../paging/page.type";
import { UserFilterInput, UserSortInput } from "../users/lists/user-list.type";
import { getOwnedUser } from "../users/owned-users";
import type { AdminContext } from "./admin-deps";
import { listApplicationSessions, listApplicationUsers } from "./application-lists";
import { ApplicationSessionConnection, ApplicationUserConnection } from "./application-lists.type";
import { ApplicationUserType } from "./application-user.type";

@ArgsType()
class ApplicationUserArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Only users whose login or e-mail starts with this text; case-insensitive. Those whose login does come first, by login, then the others by e-mail, both in byte order of the lower case.",
  })
  search?: string | null;

  @Field(() => UserFilterInput, {
    nullable: true,
    description: "Only users that match this filter, by the rules of the user list.",
  })
  filter?: UserFilterInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only users who are blocked, or only users who are not.",
  })
  blocked?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only guests, or only other users." })
  guest?: boolean | null;

  @Field(() => UserSortInput, {
    nullable: true,
    description:
      "The order; by id by default. It cannot be combined with search, and must be by ID for blocked users or guests alone without a filter. By USER_TAGS it requires a filter.",
  })
  sort?: UserSortInput | null;
}

const COUNT = { description: "Total number of entries, counted up to 10,000." } as const;
const EXACT = { description: "Whether totalCount is exact; false beyond 10,000." } as const;

@Resolver(() => ApplicationType)
export class ApplicationFieldsResolver {
  @FieldResolver(() => ApplicationUserConnection, { description: "Users of the application." })
  async users(
    @Root() { id }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Args(() => ApplicationUserArgs) page: ApplicationUserArgs,
  ): Promise<ApplicationUserConnection> {
    const { total, cursorOf, ...users } = await listApplicationUsers(admin, id, page);
    return { ...toConnection(users, cursorOf), total };
  }

  @FieldResolver(() => ApplicationUserType, { description: "One user of the application." })
  async user(
    @Root() { id: applicationId }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Arg("id", () => ID, { description: "The user." }) id: string,
  ): Promise<ApplicationUserType> {
    return getOwnedUser(admin, applicationId, id);
  }

  @FieldResolver(() => ApplicationSessionConnection, {
    description: "Live sessions of the application.",
  })
  async sessions(
    @Root() { id }: ApplicationType,
    @Ctx() { admin }: AdminContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ApplicationSessionConnection> {
    const { total, ...sessions } = await listApplicationSessions(admin, id, page);
    return { ...toConnection(sessions), total };
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

@Resolver(() => ApplicationUserConnection)
export class ApplicationUsersResolver {
  @FieldResolver(() => Int, COUNT)
  async totalCount(@Root() { total }: ApplicationUserConnection): Promise<number> {
    return (await total()).count;
  }

  @FieldResolver(() => Boolean, EXACT)
  async totalIsExact(@Root() { total }: ApplicationUserConnection): Promise<boolean> {
    return (await total()).exact;
  }
}

@Resolver(() => ApplicationSessionConnection)
export class ApplicationSessionsResolver {
  @FieldResolver(() => Int, COUNT)
  async totalCount(@Root() { total }: ApplicationSessionConnection): Promise<number> {
    return (await total()).count;
  }

  @FieldResolver(() => Boolean, EXACT)
  async totalIsExact(@Root() { total }: ApplicationSessionConnection): Promise<boolean> {
    return (await total()).exact;
  }
}
