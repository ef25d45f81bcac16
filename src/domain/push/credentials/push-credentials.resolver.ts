import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { AccountType } from "../../accounts/account.type";
import { ApplicationType } from "../../applications/application.type";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import type { PushEnvironment } from "../channels/channel";
import { listCredentialProblems, PushCredentialProblem } from "./credential-problems";
import type { CredentialContext } from "./push-credentials";
import {
  clearCredentials,
  publicKeyOf,
  recheckCredentials,
  setCredentials,
} from "./push-credentials";
import {
  CheckPushCredentialsInput,
  CheckPushCredentialsPayload,
  ClearPushCredentialsInput,
  ClearPushCredentialsPayload,
  SetPushCredentialsInput,
  SetPushCredentialsPayload,
} from "./push-credentials.input";
import { PushCredentialsType, toGraphqlCheck, toGraphqlCredentials } from "./push-credentials.type";

const ENVIRONMENT = { description: "Builds of the app that the credentials are for." } as const;

@Resolver()
export class PushCredentialsResolver {
  @Allow("developer")
  @Mutation(() => SetPushCredentialsPayload, {
    description:
      "Sets or replaces an application's credentials for a push service. Checks their format, then validates them with the service.",
  })
  async setPushCredentials(
    @Ctx() { auth, pushCredentials }: CredentialContext,
    @Arg("input", () => SetPushCredentialsInput, { description: "The credentials." })
    { skipCheck, applicationId, environment, ...input }: SetPushCredentialsInput,
  ): Promise<SetPushCredentialsPayload> {
    const { accountId } = await auth.account();
    const { id, warning } = await setCredentials(
      pushCredentials,
      accountId,
      { applicationId, environment },
      input,
      skipCheck ?? false,
    );
    const credentials = toGraphqlCredentials(
      environment,
      await pushCredentials.listLoader.load(id),
    );
    return { credentials, warning };
  }

  @Allow("developer")
  @Mutation(() => ClearPushCredentialsPayload, {
    description: "Deletes an application's credentials for a push service.",
  })
  async clearPushCredentials(
    @Ctx() { auth, pushCredentials }: CredentialContext,
    @Arg("input", () => ClearPushCredentialsInput, { description: "The credentials." })
    { service, ...scope }: ClearPushCredentialsInput,
  ): Promise<ClearPushCredentialsPayload> {
    const { accountId } = await auth.account();
    const { id, cleared } = await clearCredentials(pushCredentials, accountId, scope, service);
    const listed = await pushCredentials.listLoader.load(id);
    return { cleared, credentials: toGraphqlCredentials(scope.environment, listed) };
  }

  @Allow("developer")
  @Mutation(() => CheckPushCredentialsPayload, {
    description: "Validates the stored credentials with the push services again.",
  })
  async checkPushCredentials(
    @Ctx() { auth, pushCredentials }: CredentialContext,
    @Arg("input", () => CheckPushCredentialsInput, { description: "The credentials." })
    { service, ...scope }: CheckPushCredentialsInput,
  ): Promise<CheckPushCredentialsPayload> {
    const { accountId } = await auth.account();
    const checks = await recheckCredentials(pushCredentials, accountId, scope, service ?? null);
    return { checks: checks.map(({ service, result }) => toGraphqlCheck(service, result)) };
  }

  @Allow("application")
  @Query(() => String, {
    nullable: true,
    description:
      "The key that browsers subscribe with (applicationServerKey of PushManager), in base64url; null if none is set.",
  })
  async webPushKey(
    @Ctx() { auth, pushCredentials }: CredentialContext,
    @Arg("environment", () => PushEnvironmentName, {
      description: "Environment of the subscription.",
    })
    environment: PushEnvironment,
  ): Promise<string | null> {
    const { applicationId } = await auth.session();
    return publicKeyOf(pushCredentials, applicationId, environment);
  }
}

@Resolver(() => ApplicationType)
export class ApplicationCredentialsResolver {
  @FieldResolver(() => PushCredentialsType, {
    description: "Credentials of the application for push services.",
  })
  async pushCredentials(
    @Root() { id }: ApplicationType,
    @Ctx() { pushCredentials }: CredentialContext,
    @Arg("environment", () => PushEnvironmentName, ENVIRONMENT) environment: PushEnvironment,
  ): Promise<PushCredentialsType> {
    return toGraphqlCredentials(environment, await pushCredentials.listLoader.load(id));
  }
}

@Resolver(() => AccountType)
export class AccountCredentialsResolver {
  @FieldResolver(() => [PushCredentialProblem], {
    description:
      "Push credentials of the account's applications that a push service refuses, or whose certificate expires within 30 days.",
  })
  async pushCredentialProblems(
    @Root() { id }: AccountType,
    @Ctx() { pushCredentials }: CredentialContext,
  ): Promise<PushCredentialProblem[]> {
    return listCredentialProblems(pushCredentials, id);
  }
}
