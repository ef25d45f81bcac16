// Generated from application.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** An application to delete. */
export type DeleteApplicationInput = {
  /** The application. */
  applicationId: string | number;
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

/** A new secret for an application. */
export type RotateSecretInput = {
  /** The application. */
  applicationId: string | number;
  /** Time that the old secret stays valid, in seconds: 0 to 30 days; one day by default. */
  overlapSeconds?: number | null | undefined;
};

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

export type ApplicationSettingsQueryVariables = Exact<{
  id: string | number;
}>;


export type ApplicationSettingsQuery = { application: { id: string, name: string, authKey: string, accountKey: string, previousSecretValidUntil: string | null, v1ListDisabled: boolean, signUpOpen: boolean, emailNeedsPassword: boolean, pushSenders: PushSenders, answeredElsewhere: boolean, incomingCallPush: boolean, incomingCallPushDelaySeconds: number, incomingCallPushEnvironment: PushEnvironment, conferencesOnJoin: boolean, webOrigins: Array<string> } };

export type SettingsFieldsFragment = { id: string, name: string, authKey: string, accountKey: string, previousSecretValidUntil: string | null, v1ListDisabled: boolean, signUpOpen: boolean, emailNeedsPassword: boolean, pushSenders: PushSenders, answeredElsewhere: boolean, incomingCallPush: boolean, incomingCallPushDelaySeconds: number, incomingCallPushEnvironment: PushEnvironment, conferencesOnJoin: boolean, webOrigins: Array<string> };

export type ApplicationSecretQueryVariables = Exact<{
  id: string | number;
}>;


export type ApplicationSecretQuery = { application: { id: string, authSecret: string | null } };

export type UpdateApplicationMutationVariables = Exact<{
  input: UpdateApplicationInput;
}>;


export type UpdateApplicationMutation = { updateApplication: { application: { id: string, name: string, authKey: string, accountKey: string, previousSecretValidUntil: string | null, v1ListDisabled: boolean, signUpOpen: boolean, emailNeedsPassword: boolean, pushSenders: PushSenders, answeredElsewhere: boolean, incomingCallPush: boolean, incomingCallPushDelaySeconds: number, incomingCallPushEnvironment: PushEnvironment, conferencesOnJoin: boolean, webOrigins: Array<string> } } };

export type RotateSecretMutationVariables = Exact<{
  input: RotateSecretInput;
}>;


export type RotateSecretMutation = { rotateSecret: { application: { id: string, previousSecretValidUntil: string | null } } };

export type DeleteApplicationMutationVariables = Exact<{
  input: DeleteApplicationInput;
}>;


export type DeleteApplicationMutation = { deleteApplication: { deletedApplicationId: string } };

export type ApplicationSessionsQueryVariables = Exact<{
  id: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ApplicationSessionsQuery = { application: { id: string, sessions: { totalCount: number, totalIsExact: boolean, nodes: Array<{ id: string, userId: string | null, ip: string | null, userAgent: string | null, lastActivityAt: string, expiresAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export const ApplicationSettingsDocument =
  "query ApplicationSettings($id:ID!){application(id:$id){...SettingsFields}}fragment SettingsFields on Application{id name authKey accountKey previousSecretValidUntil v1ListDisabled signUpOpen emailNeedsPassword pushSenders answeredElsewhere incomingCallPush incomingCallPushDelaySeconds incomingCallPushEnvironment conferencesOnJoin webOrigins}" as Document<
    ApplicationSettingsQuery,
    ApplicationSettingsQueryVariables
  >;

export const ApplicationSecretDocument =
  "query ApplicationSecret($id:ID!){application(id:$id){id authSecret}}" as Document<
    ApplicationSecretQuery,
    ApplicationSecretQueryVariables
  >;

export const UpdateApplicationDocument =
  "mutation UpdateApplication($input:UpdateApplicationInput!){updateApplication(input:$input){application{...SettingsFields}}}fragment SettingsFields on Application{id name authKey accountKey previousSecretValidUntil v1ListDisabled signUpOpen emailNeedsPassword pushSenders answeredElsewhere incomingCallPush incomingCallPushDelaySeconds incomingCallPushEnvironment conferencesOnJoin webOrigins}" as Document<
    UpdateApplicationMutation,
    UpdateApplicationMutationVariables
  >;

export const RotateSecretDocument =
  "mutation RotateSecret($input:RotateSecretInput!){rotateSecret(input:$input){application{id previousSecretValidUntil}}}" as Document<
    RotateSecretMutation,
    RotateSecretMutationVariables
  >;

export const DeleteApplicationDocument =
  "mutation DeleteApplication($input:DeleteApplicationInput!){deleteApplication(input:$input){deletedApplicationId}}" as Document<
    DeleteApplicationMutation,
    DeleteApplicationMutationVariables
  >;

export const ApplicationSessionsDocument =
  "query ApplicationSessions($id:ID!$first:Int$after:String$last:Int$before:String){application(id:$id){id sessions(first:$first after:$after last:$last before:$before){nodes{id userId ip userAgent lastActivityAt expiresAt}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}totalCount totalIsExact}}}" as Document<
    ApplicationSessionsQuery,
    ApplicationSessionsQueryVariables
  >;
