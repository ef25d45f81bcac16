import { Field, InputType, ObjectType, registerEnumType } from "type-graphql";
import { Audited } from "../audit/entries/audited";
import type { ApplicationSettings } from "./settings";

type Jwt = NonNullable<ApplicationSettings["jwt"]>;

/** GraphQL names of the algorithms of a backend's JWTs. */
export const JwtAlgorithmName: Record<string, Jwt["algorithm"]> = {
  HS256: "HS256",
  RS256: "RS256",
  ES256: "ES256",
};
registerEnumType(JwtAlgorithmName, {
  name: "JwtAlgorithm",
  description: "Algorithm by which a backend signs its JWTs (RFC 7518).",
  valuesConfig: {
    HS256: { description: "HMAC with SHA-256, by a key that the backend and the service share." },
    RS256: { description: "RSA with SHA-256, by a public key of the backend's key set." },
    ES256: {
      description: "ECDSA on P-256 with SHA-256, by a public key of the backend's key set.",
    },
  },
});

/** GraphQL names of what the subject of a backend's JWT is of the user. */
export const JwtSubjectName: Record<string, Jwt["subject"]> = {
  LOGIN: "login",
  EXTERNAL_ID: "externalId",
  USER_ID: "userId",
};
registerEnumType(JwtSubjectName, {
  name: "JwtSubject",
  description: "What the subject (sub) of a backend's JWT is of the user.",
  valuesConfig: {
    LOGIN: { description: "The login, also of a user who signed up by itself." },
    EXTERNAL_ID: { description: "The external id, which users can change themselves." },
    USER_ID: { description: "The id, which the service chose." },
  },
});

@ObjectType({
  description: "How the application's backend vouches for users by JWTs of its own.",
  simpleResolvers: true,
})
export class JwtSettings {
  @Field(() => JwtAlgorithmName as object, { description: "The only algorithm that is accepted." })
  algorithm!: Jwt["algorithm"];

  @Field(() => JwtSubjectName as object, { description: "What sub is of the user." })
  subject!: Jwt["subject"];

  @Field({ description: "Whether the key of HS256 is set; the key itself is never returned." })
  secretSet!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "URL of the JSON Web Key Set that verifies RS256 and ES256; null for HS256.",
  })
  jwksUrl!: string | null;
}

@InputType({
  description:
    "JWTs by which the application's backend vouches for users. Omitted fields stay unchanged.",
})
export class JwtSettingsInput {
  @Field(() => JwtAlgorithmName as object, {
    nullable: true,
    description:
      "The only algorithm to accept. A change between HS256 and the others drops the key.",
  })
  algorithm?: Jwt["algorithm"] | null;

  @Field(() => JwtSubjectName as object, {
    nullable: true,
    description: "What sub is of the user.",
  })
  subject?: Jwt["subject"] | null;

  @Field(() => String, {
    nullable: true,
    description: "The key of HS256, as text of at least 32 bytes.",
  })
  secret?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "URL of the JSON Web Key Set of RS256 or ES256.",
  })
  jwksUrl?: string | null;
}

@ObjectType({ description: "How users sign in through Facebook.", simpleResolvers: true })
export class FacebookSettings {
  @Field({ description: "Id of the Facebook app." })
  appId!: string;

  @Field({ description: "Whether the app secret is set; the secret itself is never returned." })
  appSecretSet!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "URL of the Graph API; null for Facebook's own.",
  })
  baseUrl!: string | null;

  @Field(() => String, { nullable: true, description: "Version of the Graph API." })
  version!: string | null;
}

@ObjectType({ description: "How users sign in through Twitter.", simpleResolvers: true })
export class TwitterSettings {
  @Field({ description: "Consumer key." })
  consumerKey!: string;

  @Field({
    description: "Whether the consumer secret is set; the secret itself is never returned.",
  })
  consumerSecretSet!: boolean;

  @Field(() => String, { nullable: true, description: "URL of the API; null for Twitter's own." })
  baseUrl!: string | null;
}

@ObjectType({
  description: "How users sign in by phone number through Firebase.",
  simpleResolvers: true,
})
export class FirebaseSettings {
  @Field({ description: "Id of the Firebase project." })
  projectId!: string;

  @Field(() => String, {
    nullable: true,
    description: "URL of the public keys that verify tokens; null for Google's own.",
  })
  keysUrl!: string | null;
}

@InputType({ description: "Sign-in through Facebook. Omitted fields stay unchanged." })
export class FacebookSettingsInput {
  @Audited()
  @Field(() => String, { nullable: true, description: "Id of the Facebook app." })
  appId?: string | null;

  @Field(() => String, { nullable: true, description: "App secret." })
  appSecret?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "URL of the Graph API; null for Facebook's own. A new one requires appSecret.",
  })
  baseUrl?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "Version of the Graph API, such as v19.0. A new one requires appSecret.",
  })
  version?: string | null;
}

@InputType({ description: "Sign-in through Twitter. Omitted fields stay unchanged." })
export class TwitterSettingsInput {
  @Field(() => String, { nullable: true, description: "Consumer key." })
  consumerKey?: string | null;

  @Field(() => String, { nullable: true, description: "Consumer secret." })
  consumerSecret?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "URL of the API; null for Twitter's own. A new one requires consumerSecret.",
  })
  baseUrl?: string | null;
}

@InputType({
  description: "Sign-in by phone number through Firebase. Omitted fields stay unchanged.",
})
export class FirebaseSettingsInput {
  @Audited()
  @Field(() => String, { nullable: true, description: "Id of the Firebase project." })
  projectId?: string | null;

  @Audited()
  @Field(() => String, {
    nullable: true,
    description: "URL of the public keys that verify tokens; null for Google's own.",
  })
  keysUrl?: string | null;
}

/** Converts the provider settings to their GraphQL types; null for a provider that is not configured. */
export function toGraphqlProviders({ facebook, twitter, firebase, jwt }: ApplicationSettings) {
  return {
    jwt: jwt
      ? {
          algorithm: jwt.algorithm,
          subject: jwt.subject,
          secretSet: jwt.secret !== undefined,
          jwksUrl: jwt.jwksUrl ?? null,
        }
      : null,
    facebook: facebook
      ? {
          appId: facebook.appId,
          appSecretSet: facebook.appSecret !== "",
          baseUrl: facebook.baseUrl ?? null,
          version: facebook.version ?? null,
        }
      : null,
    twitter: twitter
      ? {
          consumerKey: twitter.consumerKey,
          consumerSecretSet: twitter.consumerSecret !== "",
          baseUrl: twitter.baseUrl ?? null,
        }
      : null,
    firebase: firebase
      ? { projectId: firebase.projectId, keysUrl: firebase.keysUrl ?? null }
      : null,
  };
}
