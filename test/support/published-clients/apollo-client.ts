import { type ApolloClient, gql } from "@apollo/client";
import { filter, firstValueFrom } from "rxjs";
import { loadPrinted } from "../printed-code";
import type { ClientLibrary } from "./client";
import { type RecipeConnection, recipeConnection } from "./connection";
import { type ErrorExtensions, graphqlClient, USERS, type UserPage } from "./graphql-client";

interface Printed {
  openApollo(connection: RecipeConnection): ApolloClient;
  extensionsOf(error: unknown): ErrorExtensions;
}

/** Apollo Client as docs/FRONTEND.md sets it up. */
export const APOLLO_CLIENT: ClientLibrary = {
  name: "Apollo Client",
  invalid: { code: "INVALID", fields: ["first"] },
  unauthenticated: "UNAUTHENTICATED",
  withoutToken: "UNAUTHENTICATED",
  reads: "POST",
  open({ baseUrl }, token) {
    const { openApollo, extensionsOf } = loadPrinted<Printed>("apollo.ts");
    const connection = recipeConnection(baseUrl, token());
    const client = openApollo(connection);
    return graphqlClient({
      async query<Data>(document: string, variables = {}) {
        const { data } = await client.query({ query: gql(document), variables });
        return data as Data;
      },
      async mutate<Data>(document: string, variables: object) {
        const { data } = await client.mutate({ mutation: gql(document), variables });
        return data as Data;
      },
      async readPages(variables, between) {
        const list = client.watchQuery<UserPage>({ query: gql(USERS), variables });
        const watching = list.subscribe({});
        const shown = async (shows: (page: UserPage) => boolean) => {
          const pages = list.pipe(filter(({ dataState }) => dataState === "complete"));
          const { data } = await firstValueFrom(
            pages.pipe(filter((it) => shows(it.data as UserPage))),
          );
          return data as UserPage;
        };
        let merged = await shown(() => true);
        await between();
        while (merged.users.pageInfo.hasNextPage) {
          const { data } = await list.fetchMore({
            variables: { after: merged.users.pageInfo.endCursor },
          });
          const end = data?.users.pageInfo.endCursor;
          // The observers learn of the merged pages a moment later.
          merged = await shown(({ users }) => users.pageInfo.endCursor === end);
        }
        watching.unsubscribe();
        return merged;
      },
      subscribe(document, sink) {
        const results = client.subscribe<never>({ query: gql(document) });
        const subscription = results.subscribe({
          next: ({ data, error }) => (data ? sink.next(data) : sink.error(error)),
          error: sink.error,
        });
        return () => subscription.unsubscribe();
      },
      extensionsOf,
      close() {
        client.stop();
        connection.close();
      },
    });
  },
};
