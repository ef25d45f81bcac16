// Generated from explorer.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type ExplorerKeysQueryVariables = Exact<{
  id: string | number;
}>;


export type ExplorerKeysQuery = { application: { id: string, authKey: string, authSecret: string | null } };

export const ExplorerKeysDocument =
  "query ExplorerKeys($id:ID!){application(id:$id){id authKey authSecret}}" as Document<
    ExplorerKeysQuery,
    ExplorerKeysQueryVariables
  >;
