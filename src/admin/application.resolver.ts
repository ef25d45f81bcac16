import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { Allow } from "../access/request-auth";
import { AccountType } from "../accounts/account.type";
import {
  ApplicationPayload,
  ApplicationUserInput,
  CreateApplicationInput,
  DeleteApplicationInput,
  DeleteApplicationPayload,
  ExportUserPayload,
  RotateSecretInput,
  UpdateApplicationInput,
} from "../applications/application.input";
import {
  ApplicationType,
  ListedApplication,
  toGraphqlApplication,
} from "../applications/application.type";
import {
  createApplication,
  findOwnedApplication,
  listApplications,
  rotateSecret,
  updateApplication,
} from "../applications/owned-applications";
import type { AdminContext } from "./admin-deps";
import { deleteApplicationWithUsers } from "./application-deletion";
import { exportUser } from "./user-export";

@Resolver()
export class ApplicationResolver {
  @Allow("support")
  @Query(() => ApplicationType, { description: "One application of the owner's account." })
  async application(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("id", () => ID, { description: "The application." }) id: string,
  ): Promise<ApplicationType> {
    const { accountId } = await auth.account();
    return toGraphqlApplication(await findOwnedApplication(admin, accountId, id));
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, {
    description: "Creates an application in the owner's account.",
  })
  async createApplication(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => CreateApplicationInput, { description: "The new application." })
    { name }: CreateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    return {
      application: toGraphqlApplication(await createApplication(admin, accountId, name)),
    };
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, { description: "Changes the settings of an application." })
  async updateApplication(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => UpdateApplicationInput, { description: "The changes." })
    { applicationId, ...changes }: UpdateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const changed = await updateApplication(admin, accountId, applicationId, changes);
    return { application: toGraphqlApplication(changed) };
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, {
    description: "Gives an application a new secret; the old one stays valid for an overlap.",
  })
  async rotateSecret(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => RotateSecretInput, { description: "The application and the overlap." })
    { applicationId, overlapSeconds }: RotateSecretInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const rotated = await rotateSecret(admin, accountId, applicationId, overlapSeconds);
    return { application: toGraphqlApplication(rotated) };
  }

  @Allow("owner")
  @Mutation(() => DeleteApplicationPayload, {
    description:
      "Deletes an application with all its users and data, and ends their sessions and connections.",
  })
  async deleteApplication(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => DeleteApplicationInput, { description: "The application." })
    { applicationId }: DeleteApplicationInput,
  ): Promise<DeleteApplicationPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    await deleteApplicationWithUsers(admin, { accountId, applicationId: id });
    return { deletedApplicationId: String(id) };
  }

  @Allow("developer")
  @Mutation(() => ExportUserPayload, {
    description:
      "Exports everything stored about a user, for a data access request, page by page: pass `after` until `endCursor` is null. Each page is an entry of the audit log.",
  })
  async exportUser(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
    @Arg("after", () => String, {
      nullable: true,
      description: "Cursor of the page before: its endCursor. Without it, the first page.",
    })
    after: string | null,
  ): Promise<ExportUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return exportUser(admin, id, userId, after);
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
