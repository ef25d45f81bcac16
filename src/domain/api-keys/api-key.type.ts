import { Field, ID, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import type { ApiKeyScope } from "../../core/viewer";
import { Audited, AuditedAs } from "../audit/entries/audited";

/** GraphQL names of the scopes. */
export const ApiKeyScopeName: Record<string, ApiKeyScope> = {
  SESSIONS: "sessions",
  USERS: "users",
  PUSH: "push",
};
registerEnumType(ApiKeyScopeName, {
  name: "ApiKeyScope",
  description: "What an API key may be used for, within its application.",
  valuesConfig: {
    SESSIONS: {
      description:
        "Create sessions of any user, and end them. Anyone who has the key can sign in as any user.",
    },
    USERS: {
      description:
        "Read, list, create, change, block, export and delete users. A new password or e-mail of a user also needs SESSIONS.",
    },
    PUSH: {
      description:
        "Send pushes, read and stop events with their deliveries, and delete subscriptions of devices.",
    },
  },
});

@ObjectType("ApiKey", {
  description:
    "An API key of an application, by which its backend calls in the header Svc-Api-Key. It ends when the member who created it is removed, or becomes a support member.",
  simpleResolvers: true,
})
export class ApiKeyType {
  @Field(() => ID, { description: "Identifier, unique among the API keys of all applications." })
  id!: number;

  @Field({ description: "Name, unique in the application." })
  name!: string;

  @Field(() => [ApiKeyScopeName as object], { description: "What it may be used for." })
  scopes!: ApiKeyScope[];

  @Field(() => Date, {
    nullable: true,
    description: "When it expires, or has expired; null if it does not.",
  })
  expiresAt!: Date | null;

  @Field({ description: "E-mail address of the member who created it." })
  createdBy!: string;

  @Field(() => Date, { description: "When it was created." })
  createdAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description:
      "When it was last used, with a delay of a few seconds; null before its first use from this version on.",
  })
  lastUsedAt!: Date | null;
}

@InputType({ description: "A new API key." })
export class CreateApiKeyInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Audited()
  @Field({ description: "Name of up to 64 characters, unique in the application." })
  name!: string;

  @Field(() => [ApiKeyScopeName as object], { description: "What it may be used for." })
  scopes!: ApiKeyScope[];

  @Field(() => Date, {
    nullable: true,
    description: "When it expires; omitted or null for a key that does not.",
  })
  expiresAt?: Date | null;
}

@ObjectType({ description: "Result of createApiKey.", simpleResolvers: true })
export class CreateApiKeyPayload {
  @Field(() => ApiKeyType, { description: "The key as it is listed." })
  apiKey!: ApiKeyType;

  @Field({
    description:
      "The key itself, shown this once: the service stores only its hash. It belongs in a backend, never in a page or an app.",
  })
  key!: string;
}

@InputType({ description: "An API key to revoke." })
export class RevokeApiKeyInput {
  @AuditedAs("apiKeyId")
  @Field(() => ID, { description: "The key." })
  id!: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the sessions that the key created end too, also those of a key that has been revoked before. False by default.",
  })
  endSessions?: boolean | null;
}

@ObjectType({ description: "Result of revokeApiKey.", simpleResolvers: true })
export class RevokeApiKeyPayload {
  @Field(() => ID, { description: "Id of the revoked key." })
  revokedApiKeyId!: number;

  @Field(() => Int, {
    nullable: true,
    description: "Number of sessions that ended with it; null unless endSessions was true.",
  })
  endedSessionCount!: number | null;
}
