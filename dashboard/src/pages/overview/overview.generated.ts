// Generated from overview.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** The code of an error, in its extensions.code. */
export type ErrorCode =
  /** Another device of the user accepted the call or took the seat, or the conference is closed. Stop ringing, or show that the conference is over; do not retry. */
  | 'CONFLICT'
  /** The session, its user or the origin of the web page may not do this, or the conference is locked. Use a session of the required kind, or have the application's owner change the setting. */
  | 'FORBIDDEN'
  /** The call would have more than four parties, the conference has no free seat, or two of its members share a screen. Call fewer users, or try again when somebody has left or stopped sharing. */
  | 'FULL'
  /** The service failed; its log has the reason. Check whether a change took effect before you repeat it, and report the id of the request. */
  | 'INTERNAL'
  /** A variable, an argument or a field has a value that is not allowed. Correct the fields that the error names. */
  | 'INVALID'
  /** A limit on requests, failed sign-ins, connections or waiting signals is reached. Wait as long as the error says, or a second if it does not, then retry with back-off. */
  | 'LIMITED'
  /** The request cannot be read, or its GraphQL document does not fit the schema. Correct the request; the same request fails again. */
  | 'MALFORMED'
  /** The path or the object does not exist, or belongs to another application or user. Correct the path or the id. */
  | 'NOT_FOUND'
  /** The request, its GraphQL document or the signal exceeds a limit of size or nesting. Send less, or split the request. */
  | 'TOO_LARGE'
  /** The token is missing, unknown, expired or destroyed, or the credentials of a sign-in are wrong. Sign in again, and use the new token. */
  | 'UNAUTHENTICATED'
  /** The service, or something that it depends on, is overloaded or cannot be reached. Wait as long as the error says, or a second if it does not, then retry with back-off. */
  | 'UNAVAILABLE'
  /** The operation is not available over this protocol or on this server. Use the protocol that the message names; do not retry. */
  | 'UNSUPPORTED';

/** The time that statistics cover. It ends now. */
export type StatisticsPeriod =
  /** The last 24 hours, in buckets of an hour. */
  | 'DAY'
  /** The last 60 minutes, in buckets of a minute. */
  | 'HOUR'
  /** The last 30 days of UTC, in buckets of a day. */
  | 'MONTH';

export type AccountOverviewQueryVariables = Exact<{
  period: StatisticsPeriod;
}>;


export type AccountOverviewQuery = { account: { id: string, statistics: { period: StatisticsPeriod, totals: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, series: Array<{ startsAt: string, sessions: number | null, counts: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, sockets: { graphql: number, xmpp: number, janus: number } }> }, activity: { sockets: { graphql: number, xmpp: number, janus: number }, sessions: { count: number, isExact: boolean }, calls: { count: number, isExact: boolean }, conferences: { count: number, isExact: boolean }, conferenceMembers: { count: number, isExact: boolean } } } };

export type ApplicationOverviewQueryVariables = Exact<{
  id: string | number;
  period: StatisticsPeriod;
}>;


export type ApplicationOverviewQuery = { application: { id: string, name: string, statistics: { period: StatisticsPeriod, totals: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, series: Array<{ startsAt: string, sessions: number | null, counts: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, sockets: { graphql: number, xmpp: number, janus: number } }> }, activity: { sockets: { graphql: number, xmpp: number, janus: number }, sessions: { count: number, isExact: boolean }, calls: { count: number, isExact: boolean }, conferences: { count: number, isExact: boolean }, conferenceMembers: { count: number, isExact: boolean } } } };

export type StatisticsFieldsFragment = { period: StatisticsPeriod, totals: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, series: Array<{ startsAt: string, sessions: number | null, counts: { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> }, sockets: { graphql: number, xmpp: number, janus: number } }> };

export type CountFieldsFragment = { requests: number, signals: number, signUps: number, signIns: number, failedSignIns: number, calls: number, conferences: number, pushes: { accepted: number, failed: number, unregistered: number, retried: number }, errors: Array<{ code: ErrorCode, count: number }> };

export type ActivityFieldsFragment = { sockets: { graphql: number, xmpp: number, janus: number }, sessions: { count: number, isExact: boolean }, calls: { count: number, isExact: boolean }, conferences: { count: number, isExact: boolean }, conferenceMembers: { count: number, isExact: boolean } };

export const AccountOverviewDocument =
  "query AccountOverview($period:StatisticsPeriod!){account{id statistics(period:$period){...StatisticsFields}activity{...ActivityFields}}}fragment StatisticsFields on Statistics{period totals{...CountFields}series{startsAt counts{...CountFields}sockets{graphql xmpp janus}sessions}}fragment CountFields on StatisticsCounts{requests signals signUps signIns failedSignIns calls conferences pushes{accepted failed unregistered retried}errors{code count}}fragment ActivityFields on Activity{sockets{graphql xmpp janus}sessions{count isExact}calls{count isExact}conferences{count isExact}conferenceMembers{count isExact}}" as Document<
    AccountOverviewQuery,
    AccountOverviewQueryVariables
  >;

export const ApplicationOverviewDocument =
  "query ApplicationOverview($id:ID!$period:StatisticsPeriod!){application(id:$id){id name statistics(period:$period){...StatisticsFields}activity{...ActivityFields}}}fragment StatisticsFields on Statistics{period totals{...CountFields}series{startsAt counts{...CountFields}sockets{graphql xmpp janus}sessions}}fragment CountFields on StatisticsCounts{requests signals signUps signIns failedSignIns calls conferences pushes{accepted failed unregistered retried}errors{code count}}fragment ActivityFields on Activity{sockets{graphql xmpp janus}sessions{count isExact}calls{count isExact}conferences{count isExact}conferenceMembers{count isExact}}" as Document<
    ApplicationOverviewQuery,
    ApplicationOverviewQueryVariables
  >;
