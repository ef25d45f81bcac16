import { type Client, gql, type OperationResult } from "@urql/core";
import { loadPrinted } from "../printed-code";
import type { ClientLibrary } from "./client";
import { type RecipeConnection, recipeConnection } from "./connection";
import {
  type ErrorExtensions,
  graphqlClient,
  readEachPage,
  USERS,
  type UserPage,
} from "./graphql-client";

interface Printed {
  openUrql(connection: RecipeConnection): Client;
  extensionsOf(error: unknown): ErrorExtensions;
}

function dataOf<Data>({ data, error }: OperationResult): Data {
  if (error) throw error;
  return data;
}

/** urql as docs/FRONTEND.md sets it up. */
export const URQL: ClientLibrary = {
  name: "urql",
  invalid: { code: "INVALID", fields: ["first"] },
  unauthenticated: "UNAUTHENTICATED",
  // A GET that names no session could come from a page of another site.
  withoutToken: "MALFORMED",
  reads: "GET",
  open({ baseUrl }, token) {
    const { openUrql, extensionsOf } = loadPrinted<Printed>("urql.ts");
    const connection = recipeConnection(baseUrl, token());
    const client = openUrql(connection);
    const query = async <Data>(document: string, variables = {}) =>
      dataOf<Data>(await client.query(gql(document), variables));
    return graphqlClient({
      query,
      mutate: async <Data>(document: string, variables: object) =>
        dataOf<Data>(await client.mutation(gql(document), variables)),
      readPages: (variables, between) =>
        readEachPage((after) => query<UserPage>(USERS, { ...variables, after }), between),
      subscribe(document, sink) {
        const results = client.subscription(gql(document), {});
        const { unsubscribe } = results.subscribe(({ data, error }) =>
          error ? sink.error(error) : sink.next(data),
        );
        return unsubscribe;
      },
      extensionsOf,
      close: () => connection.close(),
    });
  },
};
