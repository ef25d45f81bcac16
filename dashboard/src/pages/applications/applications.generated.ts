// Generated from applications.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A new application. */
export type CreateApplicationInput = {
  /** Name of the application. */
  name: string;
};

export type ApplicationsQueryVariables = Exact<{ [key: string]: never; }>;


export type ApplicationsQuery = { account: { id: string, applications: Array<{ id: string, name: string, signUpOpen: boolean, createdAt: string }> } };

export type CreateApplicationMutationVariables = Exact<{
  input: CreateApplicationInput;
}>;


export type CreateApplicationMutation = { createApplication: { application: { id: string, name: string } } };

export const ApplicationsDocument =
  "query Applications{account{id applications{id name signUpOpen createdAt}}}" as Document<
    ApplicationsQuery,
    ApplicationsQueryVariables
  >;

export const CreateApplicationDocument =
  "mutation CreateApplication($input:CreateApplicationInput!){createApplication(input:$input){application{id name}}}" as Document<
    CreateApplicationMutation,
    CreateApplicationMutationVariables
  >;
