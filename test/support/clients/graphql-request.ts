import type { GraphQLClient } from "graphql-request" with { "resolution-mode": "import" };
import type { Client as Socket } from "graphql-ws";
import { loadPrinted } from "../printed-code";
import type { ClientLibrary } from "./client";
import {
  type ErrorExtensions,
  graphqlClient,
  readEachPage,
  USERS,
  type UserPage,
} from "./graphql-client";

type Token = () => string | undefined;
interface Printed {
  openRequests(url: string, token: Token): GraphQLClient;
  extensionsOf(error: unknown): ErrorExtensions;
}
interface PrintedSocket {
  openSocket(url: string, token: Token): Socket;
}

/** graphql-request, with graphql-ws for subscriptions, as docs/CLIENTS.md sets them up. */
export const GRAPHQL_REQUEST: ClientLibrary = {
  name: "graphql-request",
  invalid: { code: "INVALID", fields: ["first"] },
  unauthenticated: "UNAUTHENTICATED",
  withoutToken: "UNAUTHENTICATED",
  reads: "POST",
  open({ graphqlUrl }, token) {
    const { openRequests, extensionsOf } = loadPrinted<Printed>("request.js");
    const { openSocket } = loadPrinted<PrintedSocket>("socket.js");
    const client = openRequests(graphqlUrl, token);
    const socket = openSocket(graphqlUrl, token);
    const run = <Data>(document: string, variables = {}) =>
      client.request<Data>(document, variables);
    return graphqlClient({
      query: run,
      mutate: run,
      readPages: (variables, between) =>
        readEachPage((after) => run<UserPage>(USERS, { ...variables, after }), between),
      subscribe: (query, sink) =>
        socket.subscribe<never>(
          { query },
          {
            next: ({ data, errors }) => (data ? sink.next(data) : sink.error(errors)),
            error: sink.error,
            complete: () => undefined,
          },
        ),
      extensionsOf,
      close: () => socket.dispose(),
    });
  },
};
