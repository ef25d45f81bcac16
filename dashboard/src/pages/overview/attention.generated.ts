// Generated from attention.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Outcome of a check. */
export type HealthStatus =
  /** It does not work. */
  | 'ERROR'
  /** It passed. */
  | 'OK'
  /** It was not checked; the detail says why. */
  | 'SKIPPED'
  /** It works, but may fail later or for some clients. */
  | 'WARNING';

/** Separates the devices of developers from those of users. */
export type PushEnvironment =
  /** Development builds; Apple's sandbox. */
  | 'DEVELOPMENT'
  /** Builds that users install. */
  | 'PRODUCTION';

/** A service that delivers pushes to devices. */
export type PushService =
  /** Apple's push service, for the channels APNS and APNS_VOIP. */
  | 'APNS'
  /** Firebase Cloud Messaging, for the channel GCM. */
  | 'FCM'
  /** The browsers' push services, for the channel WEB. */
  | 'WEB';

export type AccountAttentionQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountAttentionQuery = { health: { checks: Array<{ name: string, status: HealthStatus, detail: string }>, nodes: Array<{ id: string, host: string, missing: boolean, seenAt: string }>, jobQueues: Array<{ name: string, waiting: number, failed: number }> }, account: { id: string, applications: Array<{ id: string, name: string, previousSecretValidUntil: string | null }>, pushCredentialProblems: Array<{ applicationId: string, environment: PushEnvironment, service: PushService, validUntil: string | null, refusedSince: string | null, refusedReason: string | null }> } };

export type AttentionFailedJobsQueryVariables = Exact<{ [key: string]: never; }>;


export type AttentionFailedJobsQuery = { failedJobs: { nodes: Array<{ id: string, applicationId: string }>, pageInfo: { hasNextPage: boolean } } };

export const AccountAttentionDocument =
  "query AccountAttention{health{checks{name status detail}nodes{id host missing seenAt}jobQueues{name waiting failed}}account{id applications{id name previousSecretValidUntil}pushCredentialProblems{applicationId environment service validUntil refusedSince refusedReason}}}" as Document<
    AccountAttentionQuery,
    AccountAttentionQueryVariables
  >;

export const AttentionFailedJobsDocument =
  "query AttentionFailedJobs{failedJobs(first:100){nodes{id applicationId}pageInfo{hasNextPage}}}" as Document<
    AttentionFailedJobsQuery,
    AttentionFailedJobsQueryVariables
  >;
