import type { Document, SignalboxError } from "@signalbox/client";
import {
  hashKey,
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { isTransient } from "./errors.ts";
import { session } from "./session.ts";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: SignalboxError;
  }
}

/** How often a query that may succeed later is repeated before the page shows the error. */
const RETRIES = 2;
/** The longest wait that the service may name for that, in seconds: after it the page shows the error. */
const RETRY_AFTER_MAX_S = 5;
/** Time for which an answer counts as current, in milliseconds: pages that are opened again reload it afterwards. */
const FRESH_MS = 5_000;

/** The cache of answers. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // An error says that the network is down; a paused query says nothing.
      networkMode: "always",
      staleTime: FRESH_MS,
      retry: (failures, error) =>
        failures < RETRIES && isTransient(error) && (error.retryAfter ?? 0) <= RETRY_AFTER_MAX_S,
      retryDelay: (failures, error) =>
        Math.max(1_000 * 2 ** failures, (error.retryAfter ?? 0) * 1_000),
    },
    // No variables stay in memory: they may be passwords and keys.
    mutations: { networkMode: "always", gcTime: 0 },
  },
});
session.onEnd(() => queryClient.clear());

/** A document with any types, as an argument that names an operation. */
// biome-ignore lint/suspicious/noExplicitAny: the types of other operations do not matter
export type AnyDocument = Document<any, any>;

/** The name of an operation, which is the first part of the keys of its answers. */
export function operationName(document: AnyDocument): string {
  return /^\w+ (\w+)/.exec(document)?.[1] ?? "";
}

/** Options of {@link useOperation}. */
export interface OperationOptions {
  /** False while a variable is not known yet. */
  enabled?: boolean;
  /** Keeps showing the last answer while the next page or filter loads. */
  keepPrevious?: boolean;
  /** Asks again whenever the variables change, also if their answer is only a moment old. */
  isAlwaysRead?: boolean;
  /** Asks again after this many milliseconds, while the page is visible. */
  refreshMs?: number;
  /** Asks again after this many milliseconds while nothing but an error is known. */
  tryAgainMs?: number;
}

/** Reads by a query of the schema. Equal queries of several components share one request and one answer. */
export function useOperation<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  {
    enabled = true,
    keepPrevious = false,
    isAlwaysRead = false,
    refreshMs,
    tryAgainMs,
  }: OperationOptions = {},
): UseQueryResult<Result> {
  return useQuery({
    queryKey: [operationName(document), variables],
    queryFn: ({ signal }) => session.connection.query(document, variables, { signal }),
    enabled,
    ...(isAlwaysRead && { staleTime: 0 }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    refetchInterval:
      refreshMs ??
      (({ state: { error, data } }) => (tryAgainMs && error && !data ? tryAgainMs : false)),
  });
}

/**
 * Changes something by a mutation of the schema. `mutate` does nothing while the same change is being made, for instance
 * after the second click of a double click: `isPending` is too late to disable a button between the two.
 * @param outdated queries whose answers the change makes outdated: those on the page are reloaded
 */
export function useChange<Result, Variables>(
  document: Document<Result, Variables>,
  outdated: readonly AnyDocument[] = [],
): UseMutationResult<Result, SignalboxError, Variables> {
  const client = useQueryClient();
  const mutationKey = [operationName(document)];
  const change = useMutation({
    mutationKey,
    mutationFn: (variables: Variables) => session.connection.query(document, variables),
    onSuccess: () =>
      Promise.all(
        outdated.map((each) => client.invalidateQueries({ queryKey: [operationName(each)] })),
      ),
  });
  const mutate: typeof change.mutate = (...args) => {
    const last = client.getMutationCache().findAll({ mutationKey, status: "pending" }).at(-1);
    const isSame = last && hashKey([last.state.variables]) === hashKey([args[0]]);
    if (!isSame) change.mutate(...args);
  };
  return { ...change, mutate };
}
