import type { ConferenceInvitation } from "../conferences/conferences.ts";
import type { Signalbox } from "../signalbox.ts";
import { useSignalbox } from "./provider.ts";
import { Store, storesOf, useStore } from "./store.ts";

/** What {@link useInvitations} shows. */
export interface InvitationsState {
  /** The last invitation to each conference, newest first; up to 20. */
  readonly invitations: readonly ConferenceInvitation[];
  /** Removes an invitation from the list: it was answered. */
  dismiss(invitation: ConferenceInvitation): void;
}

/** Maximum number of invitations that are kept. */
const INVITATIONS_MAX = 20;

const storeOf = storesOf(({ conferences, session }: Signalbox) => {
  let invitations: readonly ConferenceInvitation[] = [];
  let report = () => {};
  /** Whose invitations they are; undefined while that is unknown. */
  let known: string | null | undefined;
  const without = (id: string) => invitations.filter(({ conference }) => conference.id !== id);
  const dismiss = ({ conference }: ConferenceInvitation) => {
    invitations = without(conference.id);
    report();
  };
  return new Store<InvitationsState>(
    (changed) => {
      report = changed;
      session.on("changed", ({ userId }) => {
        if (userId === known) return;
        known = userId;
        invitations = [];
        changed();
      });
      conferences.on("invited", (invitation) => {
        invitations = [invitation, ...without(invitation.conference.id)].slice(0, INVITATIONS_MAX);
        changed();
      });
    },
    () => ({ invitations, dismiss }),
  );
});

/**
 * The invitations to conferences that arrive while the page is open. The first component that uses it connects.
 *
 * @example
 * ```tsx
 * import { useInvitations, useSignalbox } from "@signalbox/client/react";
 *
 * export function Invitations() {
 *   const { conferences } = useSignalbox();
 *   const { invitations, dismiss } = useInvitations();
 *   return (
 *     <ul>
 *       {invitations.map((invitation) => (
 *         <li key={invitation.conference.id}>
 *           {invitation.conference.name}
 *           <button onClick={() => conferences.join(invitation.conference.id)}>Join</button>
 *           <button onClick={() => dismiss(invitation)}>Not now</button>
 *         </li>
 *       ))}
 *     </ul>
 *   );
 * }
 * ```
 */
export function useInvitations(): InvitationsState {
  return useStore(storeOf(useSignalbox()));
}
