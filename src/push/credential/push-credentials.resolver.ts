import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { ApplicationType } from "../../identity/application/application.type";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import { Allow } from "../../identity/context";
import type { PushEnvironment } from "../channel";
import type { PushContext } from "../context";
import { checkAgain, clearCredentials, publicKeyOf, setCredentials } from "./push-credentials";
import {
  CheckPushCredentialsInput,
  CheckPushCredentialsPayload,
  ClearPushCredentialsInput,
  ClearPushCredentialsPayload,
  SetPushCredentialsInput,
  SetPushCredentialsPayload,
} from "./push-credentials.input";
import { PushCredentialsType, showCheck, showCredentials } from "./push-credentials.type";

const ENVIRONMENT = { description: "The builds that they are for." } as const;

@Resolver()
export class PushCredentialsResolver {
  @Allow("account")
  @Mutation(() => SetPushCredentialsPayload, {
    description:
      "Sets credentials of an application for a push service, in place of those that were there. Their form is checked, then the service is asked whether it knows them.",
  })
  async setPushCredentials(
    @Ctx() { visit, push }: PushContext,
    @Arg("input", () => SetPushCredentialsInput, { description: "The credentials." })
    { skipCheck, applicationId, environment, ...given }: SetPushCredentialsInput,
  ): Promise<SetPushCredentialsPayload> {
    const { accountId } = await visit.account();
    const place = { applicationId, environment };
    const skips = skipCheck ?? false;
    const { id, warning } = await setCredentials(push.credentials, accountId, place, given, skips);
    const credentials = showCredentials(environment, await push.credentials.lists.of(id));
    return { credentials, warning };
  }

  @Allow("account")
  @Mutation(() => ClearPushCredentialsPayload, {
    description: "Forgets credentials of an application for a push service.",
  })
  async clearPushCredentials(
    @Ctx() { visit, push }: PushContext,
    @Arg("input", () => ClearPushCredentialsInput, { description: "Which." })
    { service, ...place }: ClearPushCredentialsInput,
  ): Promise<ClearPushCredentialsPayload> {
    const { accountId } = await visit.account();
    const { id, cleared } = await clearCredentials(push.credentials, accountId, place, service);
    const listed = await push.credentials.lists.of(id);
    return { cleared, credentials: showCredentials(place.environment, listed) };
  }

  @Allow("account")
  @Mutation(() => CheckPushCredentialsPayload, {
    description: "Asks push services again whether they know the credentials that are set.",
  })
  async checkPushCredentials(
    @Ctx() { visit, push }: PushContext,
    @Arg("input", () => CheckPushCredentialsInput, { description: "Which." })
    { service, ...place }: CheckPushCredentialsInput,
  ): Promise<CheckPushCredentialsPayload> {
    const { accountId } = await visit.account();
    const checks = await checkAgain(push.credentials, accountId, place, service ?? null);
    return { checks: checks.map(({ service, verdict }) => showCheck(service, verdict)) };
  }

  @Allow("application")
  @Query(() => String, {
    nullable: true,
    description:
      "The key that a browser subscribes with (applicationServerKey of PushManager), in base64url; null where the application has none.",
  })
  async webPushKey(
    @Ctx() { visit, push }: PushContext,
    @Arg("environment", () => PushEnvironmentName, {
      description: "The environment that the subscription will be for.",
    })
    environment: PushEnvironment,
  ): Promise<string | null> {
    const { applicationId } = await visit.session();
    return publicKeyOf(push.credentials, applicationId, environment);
  }
}

@Resolver(() => ApplicationType)
export class ApplicationCredentialsResolver {
  @FieldResolver(() => PushCredentialsType, {
    description: "What the application proves itself with to push services.",
  })
  async pushCredentials(
    @Root() { id }: ApplicationType,
    @Ctx() { push }: PushContext,
    @Arg("environment", () => PushEnvironmentName, ENVIRONMENT) environment: PushEnvironment,
  ): Promise<PushCredentialsType> {
    return showCredentials(environment, await push.credentials.lists.of(id));
  }
}
