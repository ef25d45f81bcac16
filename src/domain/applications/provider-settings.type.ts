import { Field, InputType, ObjectType } from "type-graphql";
import { Audited } from "../audit/entries/audited";
import type { ApplicationSettings } from "./settings";

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
export function toGraphqlProviders({ facebook, twitter, firebase }: ApplicationSettings) {
  return {
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
