// Generated from conferences.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Who may join a conference, besides its creator and guests with a link. */
export type ConferenceAccess =
  /** Every user of the application. */
  | 'EVERYONE'
  /** Users that the conference lists. */
  | 'LISTED';

/** Who created a conference. */
export type ConferenceOrigin =
  /** An operation of GraphQL. It stays open until it is closed. */
  | 'GRAPHQL'
  /** The first join of a legacy client. It is closed when it has been empty for 30 seconds. */
  | 'LEGACY';

export type ConferencesQueryVariables = Exact<{
  applicationId: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  open?: boolean | null | undefined;
  name?: string | null | undefined;
}>;


export type ConferencesQuery = { application: { id: string, conferences: { nodes: Array<{ id: string, name: string, seats: number, access: ConferenceAccess, locked: boolean, origin: ConferenceOrigin, createdAt: string, closedAt: string | null, members: Array<{ id: string, name: string }> }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } } };

export type LiveConferencesSubscriptionVariables = Exact<{
  applicationId: string | number;
}>;


export type LiveConferencesSubscription = { applicationConferences: { id: string, name: string, seats: number, access: ConferenceAccess, locked: boolean, origin: ConferenceOrigin, createdAt: string, closedAt: string | null, members: Array<{ id: string, name: string }> } };

export type ListedConferenceFragment = { id: string, name: string, seats: number, access: ConferenceAccess, locked: boolean, origin: ConferenceOrigin, createdAt: string, closedAt: string | null, members: Array<{ id: string, name: string }> };

export const ConferencesDocument =
  "query Conferences($applicationId:ID!$first:Int$after:String$last:Int$before:String$open:Boolean$name:String){application(id:$applicationId){id conferences(first:$first after:$after last:$last before:$before open:$open name:$name){nodes{...ListedConference}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}fragment ListedConference on ListedApplicationConference{id name seats access locked origin createdAt closedAt members{id name}}" as Document<
    ConferencesQuery,
    ConferencesQueryVariables
  >;

export const LiveConferencesDocument =
  "subscription LiveConferences($applicationId:ID!){applicationConferences(applicationId:$applicationId){...ListedConference}}fragment ListedConference on ListedApplicationConference{id name seats access locked origin createdAt closedAt members{id name}}" as Document<
    LiveConferencesSubscription,
    LiveConferencesSubscriptionVariables
  >;
