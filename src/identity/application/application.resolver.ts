import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Allow, type IdentityContext } from "../context";
import { parseId } from "../user/find-user";
import { eraseUser } from "../user/users";
import {
  ApplicationPayload,
  ApplicationUserInput,
  CreateApplicationInput,
  EraseUserPayload,
  ExportUserPayload,
  RotateSecretInput,
  UpdateApplicationInput,
} from "./application.input";
import { ApplicationType, showApplication } from "./application.type";
import {
  createApplication,
  ownApplication,
  rotateSecret,
  updateApplication,
} from "./owned-applications";
import { exportUser } from "./user-export";

@Resolver()
export class ApplicationResolver {
  @Allow("account")
  @Query(() => ApplicationType, { description: "One application of the owner's account." })
  async application(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("id", () => ID, { description: "The application." }) id: string,
  ): Promise<ApplicationType> {
    const { accountId } = await visit.account();
    return showApplication(await ownApplication(identity, accountId, id));
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, {
    description: "Creates an application in the owner's account.",
  })
  async createApplication(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => CreateApplicationInput, { description: "The new application." })
    { name }: CreateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await visit.account();
    return { application: showApplication(await createApplication(identity, accountId, name)) };
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, { description: "Changes an application's settings." })
  async updateApplication(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => UpdateApplicationInput, { description: "The changes." })
    { applicationId, ...changes }: UpdateApplicationInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await visit.account();
    const changed = await updateApplication(identity, accountId, applicationId, changes);
    return { application: showApplication(changed) };
  }

  @Allow("account")
  @Mutation(() => ApplicationPayload, {
    description: "Gives an application a new secret; the old one stays valid for a while.",
  })
  async rotateSecret(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => RotateSecretInput, { description: "Whose, and for how long." })
    { applicationId, overlapSeconds }: RotateSecretInput,
  ): Promise<ApplicationPayload> {
    const { accountId } = await visit.account();
    const rotated = await rotateSecret(identity, accountId, applicationId, overlapSeconds);
    return { application: showApplication(rotated) };
  }

  @Allow("account")
  @Mutation(() => ExportUserPayload, {
    description: "Everything that is stored of a user, for a request of data access.",
  })
  async exportUser(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<ExportUserPayload> {
    const { accountId } = await visit.account();
    const { id } = await ownApplication(identity, accountId, applicationId);
    return { export: await exportUser(identity, id, userId) };
  }

  @Allow("account")
  @Mutation(() => EraseUserPayload, {
    description: "Deletes a user with all its data, and ends its sessions and connections.",
  })
  async eraseUser(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<EraseUserPayload> {
    const { accountId } = await visit.account();
    const { id } = await ownApplication(identity, accountId, applicationId);
    const number = parseId(userId);
    if (number === null || !(await eraseUser(identity, id, number))) {
      throw new Fault("NOT_FOUND", "There is no such user");
    }
    return { erasedUserId: String(number) };
  }
}
