import type { GraphQLClient } from "graphql-request" with { "resolution-mode": "import" };
import { loadPrinted } from "../printed-code";
import type { ClientLibrary, ClientSignal } from "./client";
import { type RecipeConnection, recipeConnection } from "./connection";
import {
  type ErrorExtensions,
  graphqlClient,
  readEachPage,
  USERS,
  type UserPage,
} from "./graphql-client";

interface Printed {
  openRequests(url: string, connection: RecipeConnection): GraphQLClient;
  extensionsOf(error: unknown): ErrorExtensions;
}

/** graphql-request as docs/FRONTEND.md sets it up, with subscriptions of the client. */
export const GRAPHQL_REQUEST: ClientLibrary = {
  name: "graphql-request",
  invalid: { code: "INVALID", fields: ["first"] },
  unauthenticated: "UNAUTHENTICATED",
  withoutToken: "UNAUTHENTICATED",
  reads: "POST",
  open({ baseUrl }, token) {
    const { openRequests, extensionsOf } = loadPrinted<Printed>("request.ts");
    const connection = recipeConnection(baseUrl, token());
    const client = openRequests(baseUrl, connection);
    const run = <Data>(document: string, variables = {}) =>
      client.request<Data>(document, variables);
    return graphqlClient({
      query: run,
      mutate: run,
      readPages: (variables, between) =>
        readEachPage((after) => run<UserPage>(USERS, { ...variables, after }), between),
      subscribe: (query, sink) =>
        connection.subscribe<{ callSignals: ClientSignal }>(query, {}, sink),
      extensionsOf,
      close: () => connection.close(),
    });
  },
};
