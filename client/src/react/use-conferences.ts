import { useMemo } from "react";
import { type ConferenceInfo, listConferences } from "../data/conferences.ts";
import type { ListConferencesQueryVariables } from "../generated/operations.ts";
import { PolledList, type PolledListState } from "./polled-list.ts";
import { useSignalbox } from "./provider.ts";
import { useStore } from "./store.ts";

/**
 * The open conferences that the signed-in user may join, newest first: the first page of `listConferences()`, read again
 * every ten seconds while the page is visible.
 *
 * @example
 * ```tsx
 * import { useConferences, useSignalbox } from "@signalbox/client/react";
 *
 * export function Rooms() {
 *   const { items } = useConferences();
 *   const signalbox = useSignalbox();
 *   return (
 *     <ul>
 *       {items?.map(({ id, name }) => (
 *         <li key={id}>
 *           <button onClick={() => signalbox.conferences.join(id, { audio: true })}>Join {name}</button>
 *         </li>
 *       ))}
 *     </ul>
 *   );
 * }
 * ```
 * @param variables of the list; others begin a new list
 */
export function useConferences(
  variables: ListConferencesQueryVariables = {},
): PolledListState<ConferenceInfo> {
  const { session } = useSignalbox();
  const key = JSON.stringify(variables);
  const list = useMemo(
    () =>
      new PolledList(session, async () => (await listConferences(session, JSON.parse(key))).nodes),
    [session, key],
  );
  return useStore(list);
}
