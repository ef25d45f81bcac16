import { mapStream, oneByOne } from "../../core/map-stream";
import type { RequestAuth } from "./request-auth";

/**
 * Iterates for a member of an account: before each value the member's session is looked up again, so that nothing
 * reaches a member who was removed or signed out, on any node. For other callers it is the source itself: their sockets
 * close with their sessions.
 * @throws Fault UNAUTHENTICATED from `next` once the session has ended
 */
export function whileMember<T>(
  auth: RequestAuth,
  source: AsyncIterableIterator<T>,
): AsyncIterableIterator<T> {
  if (!auth.callsForAccount) return source;
  return mapStream(source, async (value) => {
    await auth.currentAccount();
    return value;
  });
}

/**
 * As {@link whileMember}, for values that are loaded in batches: they are delivered one by one, after one look-up for
 * each batch.
 */
export function eachWhileMember<T>(
  auth: RequestAuth,
  source: AsyncIterableIterator<T[]>,
): AsyncIterableIterator<T> {
  return oneByOne(whileMember(auth, source));
}
