// Generated from users.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A new user of one of the owner's applications. */
export type CreateApplicationUserInput = {
  /** The application. */
  applicationId: string | number;
  /** Identifier of the user's picture. */
  avatar?: string | null | undefined;
  /** Identifier of a picture; not validated. */
  blobId?: number | null | undefined;
  /** Custom data of the application, up to 5,000 characters. */
  customData?: string | null | undefined;
  /** E-mail address; login or email is required. */
  email?: string | null | undefined;
  /** Identifier in an external system. */
  externalId?: string | null | undefined;
  /** Identifier in an external system. */
  externalUserId?: string | null | undefined;
  /** Facebook id of the profile. */
  facebookId?: string | null | undefined;
  /** Display name. */
  fullName?: string | null | undefined;
  /** 1 to 70 letters, digits or . - _ @ +; login or email is required. */
  login?: string | null | undefined;
  /** Password of at least 8 characters. */
  password: string;
  /** Phone number. */
  phone?: string | null | undefined;
  /** Tags, at most five; they replace the existing ones. */
  tags?: Array<string> | null | undefined;
  /** Offset from UTC in minutes, -720 to 840. */
  timezone?: number | null | undefined;
  /** Twitter id of the profile. */
  twitterId?: string | null | undefined;
  /** Website. */
  website?: string | null | undefined;
};

/** Conditions on a time; all given ones must match. */
export type DateFilter = {
  /** Equal, to the second. */
  eq?: string | number | null | undefined;
  /** Later. */
  gt?: string | number | null | undefined;
  /** Later or equal. */
  gte?: string | number | null | undefined;
  /** One of these. */
  in?: Array<string | number> | null | undefined;
  /** Earlier. */
  lt?: string | number | null | undefined;
  /** Earlier or equal. */
  lte?: string | number | null | undefined;
  /** None of these. */
  nin?: Array<string | number> | null | undefined;
};

/** Conditions on a number; all given ones must match. */
export type IntegerFilter = {
  /** Equal. Primary. */
  eq?: number | null | undefined;
  /** Greater. Not on a stand-alone field. */
  gt?: number | null | undefined;
  /** Greater or equal. Not on a stand-alone field. */
  gte?: number | null | undefined;
  /** One of these. Primary. */
  in?: Array<number> | null | undefined;
  /** Less. Not on a stand-alone field. */
  lt?: number | null | undefined;
  /** Less or equal. Not on a stand-alone field. */
  lte?: number | null | undefined;
  /** None of these. Excludes. */
  nin?: Array<number> | null | undefined;
};

/** Conditions on a text; all given ones must match. */
export type StringFilter = {
  /** Equal. Primary. */
  eq?: string | null | undefined;
  /** Greater. Not on a stand-alone field. */
  gt?: string | null | undefined;
  /** Greater or equal. Not on a stand-alone field. */
  gte?: string | null | undefined;
  /** One of these. Primary. */
  in?: Array<string> | null | undefined;
  /** Less. Not on a stand-alone field. */
  lt?: string | null | undefined;
  /** Less or equal. Not on a stand-alone field. */
  lte?: string | null | undefined;
  /** None of these. Excludes. */
  nin?: Array<string> | null | undefined;
  /** Starts with this literal text of at least 4 characters. Primary; sets the limit to 5. */
  startWith?: string | null | undefined;
};

/**
 * Filter of the user list. Five rules apply: 1. a filter has at least one stand-alone field with a primary
 * operator (eq, in, startWith); 2. stand-alone fields do not support comparison operators (gt, lt, gte, lte);
 * 3. additional fields alone are not enough; 4. nin alone is not enough; 5. startWith takes at least 4 characters
 * and sets the limit to 5.
 */
export type UserFilter = {
  /** By the time of the sign-up. Additional. */
  createdAt?: DateFilter | null | undefined;
  /** By e-mail, case-insensitive. Stand-alone. */
  email?: StringFilter | null | undefined;
  /** By external id. Stand-alone. */
  externalId?: StringFilter | null | undefined;
  /** By Facebook id. Stand-alone. */
  facebookId?: StringFilter | null | undefined;
  /** By name. Stand-alone. */
  fullName?: StringFilter | null | undefined;
  /** By numeric id. Stand-alone. */
  id?: IntegerFilter | null | undefined;
  /** By the time of the last request. Additional. */
  lastRequestAt?: DateFilter | null | undefined;
  /** By login, case-insensitive. Stand-alone. */
  login?: StringFilter | null | undefined;
  /** By phone number. Stand-alone. */
  phone?: StringFilter | null | undefined;
  /** By Twitter id. Stand-alone. */
  twitterId?: StringFilter | null | undefined;
  /** By the time of the last change. Additional. */
  updatedAt?: DateFilter | null | undefined;
  /** By tag: a user matches if one of its tags does. Stand-alone or additional. */
  userTags?: StringFilter | null | undefined;
};

/** Order of a user list: exactly one of asc and desc; by id if omitted. */
export type UserSort = {
  /** Ascending by this field; users without a value come first. */
  asc?: UserSortField | null | undefined;
  /** Descending by this field; users without a value come last. */
  desc?: UserSortField | null | undefined;
};

/** Sort fields of the user list. */
export type UserSortField =
  /** By createdAt. */
  | 'CREATED_AT'
  /** By email. */
  | 'EMAIL'
  /** By externalId. */
  | 'EXTERNAL_ID'
  /** By facebookId. */
  | 'FACEBOOK_ID'
  /** By fullName. */
  | 'FULL_NAME'
  /** By id. */
  | 'ID'
  /** By lastRequestAt. */
  | 'LAST_REQUEST_AT'
  /** By login. */
  | 'LOGIN'
  /** By phone. */
  | 'PHONE'
  /** By twitterId. */
  | 'TWITTER_ID'
  /** By updatedAt. */
  | 'UPDATED_AT'
  /** By userTags, as one text. No index serves this order: each page reads all users that the filter matches. */
  | 'USER_TAGS';

export type ApplicationUsersQueryVariables = Exact<{
  applicationId: string | number;
  search?: string | null | undefined;
  filter?: UserFilter | null | undefined;
  blocked?: boolean | null | undefined;
  guest?: boolean | null | undefined;
  sort?: UserSort | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ApplicationUsersQuery = { application: { id: string, users: { totalCount: number, totalIsExact: boolean, nodes: Array<{ id: string, login: string | null, email: string | null, fullName: string | null, tags: Array<string>, isGuest: boolean, blockedAt: string | null, lastRequestAt: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export type CreateApplicationUserMutationVariables = Exact<{
  input: CreateApplicationUserInput;
}>;


export type CreateApplicationUserMutation = { createApplicationUser: { user: { id: string, login: string | null, email: string | null, fullName: string | null } } };

export const ApplicationUsersDocument =
  "query ApplicationUsers($applicationId:ID!$search:String$filter:UserFilter$blocked:Boolean$guest:Boolean$sort:UserSort$first:Int$after:String$last:Int$before:String){application(id:$applicationId){id users(search:$search filter:$filter blocked:$blocked guest:$guest sort:$sort first:$first after:$after last:$last before:$before){nodes{id login email fullName tags isGuest blockedAt lastRequestAt createdAt}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}totalCount totalIsExact}}}" as Document<
    ApplicationUsersQuery,
    ApplicationUsersQueryVariables
  >;

export const CreateApplicationUserDocument =
  "mutation CreateApplicationUser($input:CreateApplicationUserInput!){createApplicationUser(input:$input){user{id login email fullName}}}" as Document<
    CreateApplicationUserMutation,
    CreateApplicationUserMutationVariables
  >;
