import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { Allow } from "../access/request-auth";
import { AccountType } from "../accounts/account.type";
import {
  ApplicationPayload,
  CreateApplicationInput,
  DeleteApplicationInput,
  DeleteApplicationPayload,
  RotateSecretInput,
  UpdateApplicationInput,
} from "./application.input";
import { ApplicationType, toGraphqlApplication } from "./application.type";
import { deleteApplicationWithUsers } from "./application-deletion";
import type { ApplicationContext } from "./application-deps";
import {
  createApplication,
  findOwnedApplication,
  listApplications,
  rotateSecret,
  updateApplication,
} from "./owned-applications";

@Resolver()
export class ApplicationResolver {
  @Allow("support")
  @Query(() => ApplicationType, { description: "One application of the member's account." })
  async application(
    @Ctx() { applications, auth }: ApplicationContext,
    @Arg("id", () => ID, { description: "The application." }) id: string,
  ): Promise<ApplicationType> {
    const { accountId } = await auth.account();
    return toGraphqlApplication(await findOwnedApplication(applications, accountId, id));
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, {
    description: "Creates an application in the member's account.",
  })
  async createApplication(
    @Ctx() { applications, auth }: ApplicationContext,
    @Arg("input", () => CreateApplicationInput, { description: "The new application." })
    { name }: CreateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    return {
      application: toGraphqlApplication(await createApplication(applications, accountId, name)),
    };
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, { description: "Changes the settings of an application." })
  async updateApplication(
    @Ctx() { applications, auth }: ApplicationContext,
    @Arg("input", () => UpdateApplicationInput, { description: "The changes." })
    { applicationId, ...changes }: UpdateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const changed = await updateApplication(applications, accountId, applicationId, changes);
    return { application: toGraphqlApplication(changed) };
  }

  @Allow("developer")
  @Mutation(() => ApplicationPayload, {
    description: "Gives an application a new secret; the old one stays valid for an overlap.",
  })
  async rotateSecret(
    @Ctx() { applications, auth }: ApplicationContext,
    @Arg("input", () => RotateSecretInput, { description: "The application and the overlap." })
    { applicationId, overlapSeconds }: RotateSecretInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const rotated = await rotateSecret(applications, accountId, applicationId, overlapSeconds);
    return { application: toGraphqlApplication(rotated) };
  }

  @Allow("owner")
  @Mutation(() => DeleteApplicationPayload, {
    description:
      "Deletes an application with all its users and data, and ends their sessions and connections.",
  })
  async deleteApplication(
    @Ctx() { applications, auth }: ApplicationContext,
    @Arg("input", () => DeleteApplicationInput, { description: "The application." })
    { applicationId }: DeleteApplicationInput,
  ): Promise<DeleteApplicationPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(applications, accountId, applicationId);
    await deleteApplicationWithUsers(applications, { accountId, applicationId: id });
    return { deletedApplicationId: String(id) };
  }
}

@Resolver(() => AccountType)
export class AccountFieldsResolver {
  @FieldResolver(() => [ApplicationType], {
    description:
      "The account's applications. Their lists, counts and statistics are read for one at a time, by Query.application.",
  })
  async applications(
    @Root() { id }: AccountType,
    @Ctx() { applications }: ApplicationContext,
  ): Promise<ApplicationType[]> {
    return (await listApplications(applications, id)).map(toGraphqlApplication);
  }
}
