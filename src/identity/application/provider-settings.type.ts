import { Field, InputType, ObjectType } from "type-graphql";
import type { ApplicationSettings } from "./settings";

@ObjectType({ description: "How users sign in through Facebook.", simpleResolvers: true })
export class FacebookSettings {
  @Field({ description: "Id of the Facebook app." })
  appId!: string;

  @Field({ description: "Whether the app's secret is set; it is never shown." })
  appSecretSet!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "URL of the Graph API; null for Facebook's.",
  })
  baseUrl!: string | null;

  @Field(() => String, { nullable: true, description: "Version of the Graph API." })
  version!: string | null;
}

@ObjectType({ description: "How users sign in through Twitter.", simpleResolvers: true })
export class TwitterSettings {
  @Field({ description: "Key of the consumer." })
  consumerKey!: string;

  @Field({ description: "Whether the consumer's secret is set; it is never shown." })
  consumerSecretSet!: boolean;

  @Field(() => String, { nullable: true, description: "URL of the API; null for Twitter's." })
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
    description: "URL of the keys that sign tokens; null for Google's.",
  })
  keysUrl!: string | null;
}

@InputType({ description: "Sign-in through Facebook. What is left out stays." })
export class FacebookSettingsInput {
  @Field(() => String, { nullable: true, description: "Id of the Facebook app." })
  appId?: string | null;

  @Field(() => String, { nullable: true, description: "The app's secret." })
  appSecret?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of the Graph API; null for Facebook's.",
  })
  baseUrl?: string | null;

  @Field(() => String, { nullable: true, description: "Version of the Graph API, as v19.0." })
  version?: string | null;
}

@InputType({ description: "Sign-in through Twitter. What is left out stays." })
export class TwitterSettingsInput {
  @Field(() => String, { nullable: true, description: "Key of the consumer." })
  consumerKey?: string | null;

  @Field(() => String, { nullable: true, description: "The consumer's secret." })
  consumerSecret?: string | null;

  @Field(() => String, { nullable: true, description: "URL of the API; null for Twitter's." })
  baseUrl?: string | null;
}

@InputType({ description: "Sign-in by phone number through Firebase. What is left out stays." })
export class FirebaseSettingsInput {
  @Field(() => String, { nullable: true, description: "Id of the Firebase project." })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of the keys that sign tokens; null for Google's.",
  })
  keysUrl?: string | null;
}

/** The providers as their owner sees them; null for one that is not set. */
export function showProviders({ facebook, twitter, firebase }: ApplicationSettings) {
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
