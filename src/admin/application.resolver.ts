import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import {
  ApplicationPayload,
  ApplicationUserInput,
  CreateApplicationInput,
  DeleteApplicationInput,
  DeleteApplicationPayload,
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
import { Limited } from "../limits/rate-limits";
import { CreateUserPayload } from "../users/user.type";
import { eraseUser, insertUser } from "../users/users";
import type { AdminContext } from "./admin-deps";
import { deleteApplicationWithUsers } from "./application-deletion";
import { CreateApplicationUserInput } from "./application-user.input";
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
  @Limited("sign-up")
  @Mutation(() => CreateUserPayload, {
    description:
      "Creates a user of an application, also while it does not accept sign-ups. Requires a login or an e-mail, and a password.",
  })
  async createApplicationUser(
    @Ctx() { admin, auth, caller }: AdminContext,
    @Arg("input", () => CreateApplicationUserInput, { description: "The new user." })
    { applicationId, ...fields }: CreateApplicationUserInput,
  ): Promise<CreateUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return { user: await insertUser(admin, id, fields, caller.ip) };
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

  @Allow("developer")
  @Mutation(() => EraseUserPayload, {
    description: "Deletes a user and all its data, and ends its sessions and connections.",
  })
  async eraseUser(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<EraseUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    const erasedId = parseId(userId);
    if (erasedId === null || !(await eraseUser(admin, id, erasedId))) {
      throw new Fault("NOT_FOUND", "There is no such user");
    }
    return { erasedUserId: String(erasedId) };
  }
}
