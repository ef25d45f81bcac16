import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../access/request-auth";
import {
  ApplicationPayload,
  ApplicationUserInput,
  CreateApplicationInput,
  EraseUserPayload,
  ExportUserPayload,
  RotateSecretInput,
  UpdateApplicationInput,
} from "../applications/application.input";
import { ApplicationType, toGraphqlApplication } from "../applications/application.type";
import {
  createApplication,
  findOwnedApplication,
  rotateSecret,
  updateApplication,
} from "../applications/owned-applications";
import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import { eraseUser } from "../users/users";
import { exportUser } from "./user-export";

@Resolver()
export class ApplicationResolver {
  @Allow("account")
  @Query(() => ApplicationType, { description: "One application of the owner's account." })
  async application(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("id", () => ID, { description: "The application." }) id: string,
  ): Promise<ApplicationType> {
    const { accountId } = await auth.account();
    return toGraphqlApplication(await findOwnedApplication(identity, accountId, id));
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, {
    description: "Creates an application in the owner's account.",
  })
  async createApplication(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("input", () => CreateApplicationInput, { description: "The new application." })
    { name }: CreateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    return {
      application: toGraphqlApplication(await createApplication(identity, accountId, name)),
    };
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, { description: "Changes the settings of an application." })
  async updateApplication(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("input", () => UpdateApplicationInput, { description: "The changes." })
    { applicationId, ...changes }: UpdateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const changed = await updateApplication(identity, accountId, applicationId, changes);
    return { application: toGraphqlApplication(changed) };
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, {
    description: "Gives an application a new secret; the old one stays valid for an overlap.",
  })
  async rotateSecret(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("input", () => RotateSecretInput, { description: "The application and the overlap." })
    { applicationId, overlapSeconds }: RotateSecretInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await auth.account();
    const rotated = await rotateSecret(identity, accountId, applicationId, overlapSeconds);
    return { application: toGraphqlApplication(rotated) };
  }

  @Allow("account")
  @Mutation(() => ExportUserPayload, {
    description: "Exports everything stored about a user, for a data access request.",
  })
  async exportUser(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<ExportUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(identity, accountId, applicationId);
    return { export: await exportUser(identity, id, userId) };
  }

  @Allow("account")
  @Mutation(() => EraseUserPayload, {
    description: "Deletes a user and all its data, and ends its sessions and connections.",
  })
  async eraseUser(
    @Ctx() { identity, auth }: IdentityContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<EraseUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(identity, accountId, applicationId);
    const erasedId = parseId(userId);
    if (erasedId === null || !(await eraseUser(identity, id, erasedId))) {
      throw new Fault("NOT_FOUND", "There is no such user");
    }
    return { erasedUserId: String(erasedId) };
  }
}
