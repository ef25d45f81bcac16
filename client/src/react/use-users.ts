import { useMemo } from "react";
import { listUsers, type User } from "../data/users.ts";
import type { ListUsersQueryVariables } from "../generated/operations.ts";
import { PolledList, type PolledListState } from "./polled-list.ts";
import { useSignalbox } from "./provider.ts";
import { useStore } from "./store.ts";

/**
 * Users by a filter, such as the contacts of the signed-in user: the first page of `listUsers()`, read again every ten
 * seconds while the page is visible. `lastRequestAt` of a user says when it was active last.
 *
 * @example
 * ```tsx
 * import { useCalls, useUsers } from "@signalbox/client/react";
 *
 * export function Contacts() {
 *   const { items, error } = useUsers({ filter: { userTags: { in: ["staff"] } } });
 *   const { start } = useCalls();
 *   if (error) return <p>{error.message}</p>;
 *   return (
 *     <ul>
 *       {items?.map(({ id, fullName }) => (
 *         <li key={id}>
 *           <button onClick={() => start({ users: [id] })}>Call {fullName}</button>
 *         </li>
 *       ))}
 *     </ul>
 *   );
 * }
 * ```
 * @param variables of the list; another filter begins a new list
 */
export function useUsers(variables: ListUsersQueryVariables = {}): PolledListState<User> {
  const { session } = useSignalbox();
  const key = JSON.stringify(variables);
  const list = useMemo(
    () => new PolledList(session, async () => (await listUsers(session, JSON.parse(key))).nodes),
    [session, key],
  );
  return useStore(list);
}
