// Generated from health.graphql by npm run generate.
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

/** A failed job to run once more. */
export type RetryJobInput = {
  /** Application that the job belongs to. */
  applicationId: string | number;
  /** The job. */
  jobId: string | number;
};

export type HealthQueryVariables = Exact<{ [key: string]: never; }>;


export type HealthQuery = { health: { checkedAt: string, nodeId: string, checks: Array<{ name: string, status: HealthStatus, detail: string, fix: string | null }>, nodes: Array<{ id: string, host: string, version: string, startedAt: string, seenAt: string, missing: boolean, openSockets: number, eventLoopDelayMs: number }>, jobQueues: Array<{ name: string, waiting: number, active: number, failed: number }> } };

export type FailedJobsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type FailedJobsQuery = { failedJobs: { nodes: Array<{ id: string, name: string, applicationId: string, attempts: number, failedAt: string, reason: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type RetryJobMutationVariables = Exact<{
  input: RetryJobInput;
}>;


export type RetryJobMutation = { retryJob: { jobId: string } };

export const HealthDocument =
  "query Health{health{checkedAt nodeId checks{name status detail fix}nodes{id host version startedAt seenAt missing openSockets eventLoopDelayMs}jobQueues{name waiting active failed}}}" as Document<
    HealthQuery,
    HealthQueryVariables
  >;

export const FailedJobsDocument =
  "query FailedJobs($first:Int$after:String$last:Int$before:String){failedJobs(first:$first after:$after last:$last before:$before){nodes{id name applicationId attempts failedAt reason}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}" as Document<
    FailedJobsQuery,
    FailedJobsQueryVariables
  >;

export const RetryJobDocument =
  "mutation RetryJob($input:RetryJobInput!){retryJob(input:$input){jobId}}" as Document<
    RetryJobMutation,
    RetryJobMutationVariables
  >;
