import { Arg, Args, Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import { Allow } from "../access/request-auth";
import { ApplicationUserInput } from "../applications/application.input";
import { findOwnedApplication } from "../applications/owned-applications";
import { PageArgs, toConnection } from "../paging/page.type";
import type { PushContext } from "../push/deps/push-deps";
import {
  DeletePushSubscriptionPayload,
  PushSubscriptionConnection,
  toGraphqlSubscription,
} from "../push/devices/push-subscription.type";
import { deletePushSubscription, listPushSubscriptions } from "../push/devices/push-subscriptions";
import { blockUser, getOwnedUser, unblockUser, updateOwnedUser } from "../users/owned-users";
import type { AdminContext } from "./admin-deps";
import { listSessionsOfOwnedUser } from "./application-lists";
import { ApplicationSessionConnection } from "./application-lists.type";
import {
  ApplicationUserPayload,
  BlockUserInput,
  DeleteApplicationPushSubscriptionInput,
  EndUserSessionInput,
  EndUserSessionPayload,
  EndUserSessionsPayload,
  UpdateApplicationUserInput,
} from "./application-user.input";
import { ApplicationUserType } from "./application-user.type";
import { endSession, endSessionsOfUser } from "./end-sessions";

/** What owners do with a user of one of their applications. */
@Resolver(() => ApplicationUserType)
export class ApplicationUserResolver {
  @FieldResolver(() => ApplicationSessionConnection, {
    description: "Live sessions of the user, newest first.",
  })
  async sessions(
    @Root() { id }: ApplicationUserType,
    @Ctx() { admin }: AdminContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ApplicationSessionConnection> {
    const { total, ...sessions } = await listSessionsOfOwnedUser(admin, id, page);
    return { ...toConnection(sessions), total };
  }

  @FieldResolver(() => PushSubscriptionConnection, {
    description: "Push subscriptions of the user's devices, up to 100, without their tokens.",
  })
  async pushSubscriptions(
    @Root() { id: userId }: ApplicationUserType,
    @Ctx() { push }: PushContext,
    @Args(() => PageArgs) request: PageArgs,
  ): Promise<PushSubscriptionConnection> {
    const page = await listPushSubscriptions(push, { userId }, request);
    const nodes = page.nodes.map(toGraphqlSubscription);
    return { ...toConnection({ ...page, nodes }), totalCount: page.totalCount };
  }

  @Allow("developer")
  @Mutation(() => ApplicationUserPayload, {
    description:
      "Blocks a user: ends its sessions and connections, refuses its sign-ins and password resets, stops the pushes that it sent or scheduled, and sends no pushes to its devices. Blocking a blocked user changes the reason.",
  })
  async blockUser(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => BlockUserInput, { description: "The user and the reason." })
    { applicationId, userId, reason }: BlockUserInput,
  ): Promise<ApplicationUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return { user: await blockUser(admin, id, userId, reason ?? null) };
  }

  @Allow("developer")
  @Mutation(() => ApplicationUserPayload, {
    description: "Lets a blocked user sign in again. Its earlier sessions stay ended.",
  })
  async unblockUser(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<ApplicationUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return { user: await unblockUser(admin, id, userId) };
  }

  @Allow("developer")
  @Mutation(() => ApplicationUserPayload, {
    description:
      "Changes a user by the rules of updateUser, without the old password. The user's old e-mail address is notified of a new one.",
  })
  async updateApplicationUser(
    @Ctx() { admin, auth, caller }: AdminContext,
    @Arg("input", () => UpdateApplicationUserInput, { description: "The changes." })
    { applicationId, userId, ...fields }: UpdateApplicationUserInput,
  ): Promise<ApplicationUserPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return { user: await updateOwnedUser(admin, id, userId, fields, caller.ip) };
  }

  @Allow("developer")
  @Mutation(() => EndUserSessionPayload, {
    description: "Ends a session of an application and closes the connections that it opened.",
  })
  async endUserSession(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => EndUserSessionInput, { description: "The session." })
    { applicationId, sessionId }: EndUserSessionInput,
  ): Promise<EndUserSessionPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    return { endedSessionId: await endSession(admin, id, sessionId) };
  }

  @Allow("developer")
  @Mutation(() => EndUserSessionsPayload, {
    description: "Ends all sessions of a user and closes all of its connections.",
  })
  async endUserSessions(
    @Ctx() { admin, auth }: AdminContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<EndUserSessionsPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    const user = await getOwnedUser(admin, id, userId);
    return { endedCount: await endSessionsOfUser(admin, user.id) };
  }

  @Allow("developer")
  @Mutation(() => DeletePushSubscriptionPayload, {
    description: "Deletes a push subscription of a user, so that its device gets no more pushes.",
  })
  async deleteApplicationPushSubscription(
    @Ctx() { admin, auth, push }: AdminContext & PushContext,
    @Arg("input", () => DeleteApplicationPushSubscriptionInput, {
      description: "The subscription.",
    })
    { applicationId, userId, pushSubscriptionId }: DeleteApplicationPushSubscriptionInput,
  ): Promise<DeletePushSubscriptionPayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    const user = await getOwnedUser(admin, id, userId);
    const deleted = await deletePushSubscription(push, { userId: user.id }, pushSubscriptionId);
    return { deletedPushSubscriptionId: deleted };
  }
}
