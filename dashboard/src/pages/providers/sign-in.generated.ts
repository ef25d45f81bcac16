// Generated from sign-in.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A sign-in provider to check. */
export type CheckProviderInput = {
  /** The application. */
  applicationId: string | number;
  /** The provider. */
  provider: SignInProvider;
};

/** Sign-in through Facebook. Omitted fields stay unchanged. */
export type FacebookSettingsInput = {
  /** Id of the Facebook app. */
  appId?: string | null | undefined;
  /** App secret. */
  appSecret?: string | null | undefined;
  /** URL of the Graph API; null for Facebook's own. A new one requires appSecret. */
  baseUrl?: string | null | undefined;
  /** Version of the Graph API, such as v19.0. A new one requires appSecret. */
  version?: string | null | undefined;
};

/** Sign-in by phone number through Firebase. Omitted fields stay unchanged. */
export type FirebaseSettingsInput = {
  /** URL of the public keys that verify tokens; null for Google's own. */
  keysUrl?: string | null | undefined;
  /** Id of the Firebase project. */
  projectId?: string | null | undefined;
};

/** Result of checking the settings of a sign-in provider. */
export type ProviderCheckOutcome =
  /** The provider accepts them. */
  | 'ACCEPTED'
  /** They are not set, or not completely. */
  | 'NOT_SET'
  /** The provider refuses them. */
  | 'REFUSED'
  /** The provider gave no verdict. */
  | 'UNREACHABLE';

/** Separates the devices of developers from those of users. */
export type PushEnvironment =
  /** Development builds; Apple's sandbox. */
  | 'DEVELOPMENT'
  /** Builds that users install. */
  | 'PRODUCTION';

/** Who may send push notifications, in addition to the account's owner. */
export type PushSenders =
  /** Users except guests. */
  | 'MEMBERS'
  /** Only the owner. */
  | 'NOBODY'
  /** Every user, including guests. */
  | 'USERS';

/** An external service that authenticates a user. */
export type SignInProvider =
  /** Facebook, by an access token. */
  | 'FACEBOOK'
  /** Firebase, by the ID token of a sign-in with a phone number. */
  | 'FIREBASE_PHONE'
  /** Twitter, by an access token and its secret. */
  | 'TWITTER';

/** Sign-in through Twitter. Omitted fields stay unchanged. */
export type TwitterSettingsInput = {
  /** URL of the API; null for Twitter's own. A new one requires consumerSecret. */
  baseUrl?: string | null | undefined;
  /** Consumer key. */
  consumerKey?: string | null | undefined;
  /** Consumer secret. */
  consumerSecret?: string | null | undefined;
};

/** Changes to an application. Omitted fields stay unchanged. */
export type UpdateApplicationInput = {
  /** Whether chat clients receive a hangUp when another device of their user answers a call. */
  answeredElsewhere?: boolean | null | undefined;
  /** The application. */
  applicationId: string | number;
  /** Whether the first join of a legacy client creates the conference that it names. */
  conferencesOnJoin?: boolean | null | undefined;
  /** Whether users need their password to change their e-mail address. */
  emailNeedsPassword?: boolean | null | undefined;
  /** Sign-in through Facebook; null disables it. */
  facebook?: FacebookSettingsInput | null | undefined;
  /** Sign-in by phone number; null disables it. */
  firebase?: FirebaseSettingsInput | null | undefined;
  /** Whether a call that does not reach a recipient sends an incoming-call push to the recipient's devices. */
  incomingCallPush?: boolean | null | undefined;
  /** Time that connected devices have to accept before that push, in seconds: 0 to 30. */
  incomingCallPushDelaySeconds?: number | null | undefined;
  /** The push environment of the devices that get it. */
  incomingCallPushEnvironment?: PushEnvironment | null | undefined;
  /** New name. */
  name?: string | null | undefined;
  /** Who may send push notifications, in addition to the account's owner. */
  pushSenders?: PushSenders | null | undefined;
  /** Whether users may sign up. */
  signUpOpen?: boolean | null | undefined;
  /** Sign-in through Twitter; null disables it. */
  twitter?: TwitterSettingsInput | null | undefined;
  /** Whether lists of all users are refused: `users` without a filter, and the deprecated `usersPage`. True for a new application. */
  v1ListDisabled?: boolean | null | undefined;
  /** Web origins that may use sessions of the application; empty allows any. */
  webOrigins?: Array<string> | null | undefined;
};

export type SignInProvidersQueryVariables = Exact<{
  id: string | number;
}>;


export type SignInProvidersQuery = { application: { id: string, facebook: { appId: string, appSecretSet: boolean, baseUrl: string | null, version: string | null } | null, twitter: { consumerKey: string, consumerSecretSet: boolean, baseUrl: string | null } | null, firebase: { projectId: string, keysUrl: string | null } | null } };

export type UpdateSignInProviderMutationVariables = Exact<{
  input: UpdateApplicationInput;
}>;


export type UpdateSignInProviderMutation = { updateApplication: { application: { id: string } } };

export type CheckSignInProviderMutationVariables = Exact<{
  input: CheckProviderInput;
}>;


export type CheckSignInProviderMutation = { checkProvider: { provider: SignInProvider, outcome: ProviderCheckOutcome, message: string } };

export const SignInProvidersDocument =
  "query SignInProviders($id:ID!){application(id:$id){id facebook{appId appSecretSet baseUrl version}twitter{consumerKey consumerSecretSet baseUrl}firebase{projectId keysUrl}}}" as Document<
    SignInProvidersQuery,
    SignInProvidersQueryVariables
  >;

export const UpdateSignInProviderDocument =
  "mutation UpdateSignInProvider($input:UpdateApplicationInput!){updateApplication(input:$input){application{id}}}" as Document<
    UpdateSignInProviderMutation,
    UpdateSignInProviderMutationVariables
  >;

export const CheckSignInProviderDocument =
  "mutation CheckSignInProvider($input:CheckProviderInput!){checkProvider(input:$input){provider outcome message}}" as Document<
    CheckSignInProviderMutation,
    CheckSignInProviderMutationVariables
  >;
