import { InfiniteQueryObserver, MutationObserver, QueryClient } from "@tanstack/query-core";
import type { Client } from "graphql-ws";
import { ApiError, request } from "./api";
import { ErrorCode } from "./gql/enums";
import type {
  CreateSessionInput,
  OneUserQueryVariables,
  SendSignalInput,
  SignalsSubscription,
  UserFilter,
  UserPageQuery,
} from "./gql/graphql";
import { CreateSession, OneUser, SendSignal, Signals, UserPage } from "./operations";

/** A front end on TanStack Query with its default settings. */

export type Signal = SignalsSubscription["callSignals"];
type User = UserPageQuery["users"]["nodes"][number];

/** Signs in. Returns the session. */
export async function signIn(url: string, input: CreateSessionInput) {
  const mutation = new MutationObserver(new QueryClient(), {
    mutationFn: () => request({ url }, CreateSession, { input }),
  });
  const { createSession } = await mutation.mutate();
  return createSession.session;
}

/** What a signed-in front end does. */
export class FrontEnd {
  private readonly queries = new QueryClient();

  constructor(private readonly service: { url: string; token: string }) {}

  /** The list of the users that a filter matches, page by page. */
  userList(filter: UserFilter, pageSize: number) {
    const observer = new InfiniteQueryObserver(this.queries, {
      queryKey: ["users", filter, pageSize],
      queryFn: ({ pageParam }) =>
        request(this.service, UserPage, { filter, first: pageSize, after: pageParam }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ users: { pageInfo } }) =>
        pageInfo.hasNextPage ? pageInfo.endCursor : null,
    });
    const users = (): User[] =>
      observer.getCurrentResult().data?.pages.flatMap((page) => page.users.nodes) ?? [];
    return {
      users,
      hasMore: () => observer.getCurrentResult().hasNextPage,
      /** Loads the first page, or all pages again. */
      async load() {
        await observer.refetch({ throwOnError: true });
      },
      async loadMore() {
        await observer.fetchNextPage({ throwOnError: true });
      },
    };
  }

  /** One user. */
  async user(by: OneUserQueryVariables["by"]) {
    const { user } = await this.queries.fetchQuery({
      queryKey: ["user", by],
      queryFn: () => request(this.service, OneUser, { by }),
    });
    return user;
  }

  /** Sends a signal. Returns its id, or what to show the user. */
  async send(input: SendSignalInput): Promise<{ id: string } | { problem: string }> {
    const mutation = new MutationObserver(this.queries, {
      mutationFn: (input: SendSignalInput) => request(this.service, SendSignal, { input }),
    });
    try {
      const { sendSignal } = await mutation.mutate(input);
      return { id: sendSignal.id };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      switch (error.code) {
        case ErrorCode.NotFound:
          return { problem: "this user does not exist" };
        case ErrorCode.Invalid:
          return { problem: `wrong: ${Object.keys(error.fields).join(", ")}` };
        default:
          throw error;
      }
    }
  }

  /** Passes each received signal on, until the socket closes. */
  listen(socket: Client, onSignal: (signal: Signal) => void, onEnd: (reason: string) => void) {
    socket.subscribe<SignalsSubscription>(
      { query: Signals.toString() },
      {
        next: ({ data, errors }) => (data ? onSignal(data.callSignals) : onEnd(`${errors}`)),
        error: (error) => onEnd(`${error}`),
        complete: () => onEnd("the service ended the subscription"),
      },
    );
  }
}

/** The text that a ringing screen shows for a signal. */
export function describe(signal: Signal): string {
  switch (signal.__typename) {
    case "CallSignal":
      return `${signal.from.userId} calls (${signal.callType}): ${signal.sdp.length} characters`;
    case "IceCandidatesSignal":
      return `${signal.iceCandidates.length} candidates`;
    default:
      return signal.__typename;
  }
}
