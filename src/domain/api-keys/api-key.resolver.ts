import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import { Allow } from "../access/request-auth";
import type { RequestContext } from "../access/request-context";
import { ApplicationType } from "../applications/application.type";
import { namedApplication } from "../applications/named-application";
import {
  ApiKeyType,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
} from "./api-key.type";
import { listApiKeysOfApplication } from "./api-key-queries";
import { type ApiKeyDeps, createApiKey, revokeApiKey } from "./api-keys";

/** Context of the resolvers of this module. */
export interface ApiKeyContext extends RequestContext {
  apiKeys: ApiKeyDeps;
}

@Resolver()
export class ApiKeyResolver {
  @Allow("developer")
  @Mutation(() => CreateApiKeyPayload, {
    description: "Creates an API key for an application's backend. The key is returned only here.",
  })
  async createApiKey(
    @Ctx() { apiKeys, auth }: ApiKeyContext,
    @Arg("input", () => CreateApiKeyInput, { description: "The new key." })
    { applicationId, name, scopes, expiresAt }: CreateApiKeyInput,
  ): Promise<CreateApiKeyPayload> {
    const id = await namedApplication(await auth.memberViewer(), applicationId);
    const fields = { name, scopes, expiresAt: expiresAt ?? null };
    return createApiKey(apiKeys, await auth.account(), id, fields);
  }

  @Allow("developer")
  @Mutation(() => RevokeApiKeyPayload, {
    description:
      "Revokes an API key: the service refuses it from now on. Sessions that were created by it stay valid unless endSessions is true.",
  })
  async revokeApiKey(
    @Ctx() { apiKeys, auth }: ApiKeyContext,
    @Arg("input", () => RevokeApiKeyInput, { description: "The key." })
    { id, endSessions }: RevokeApiKeyInput,
  ): Promise<RevokeApiKeyPayload> {
    const viewer = await auth.memberViewer();
    const revoked = await revokeApiKey(apiKeys, viewer, id, endSessions ?? false);
    return { revokedApiKeyId: revoked.id, endedSessionCount: revoked.endedSessions };
  }
}

@Resolver(() => ApplicationType)
export class ApplicationApiKeysResolver {
  @FieldResolver(() => [ApiKeyType], {
    description:
      "API keys of the application, oldest first; at most 50. The keys themselves are not stored.",
  })
  async apiKeys(
    @Root() { id }: ApplicationType,
    @Ctx() { apiKeys }: ApiKeyContext,
  ): Promise<ApiKeyType[]> {
    return listApiKeysOfApplication(apiKeys.store, id);
  }
}
