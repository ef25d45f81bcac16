import { useOperation } from "../api/queries.ts";
import { CurrentAccountDocument } from "./account.generated.ts";

/** Time after which a failed read is tried again, in milliseconds: without it, no page shows a button for a change. */
const TRY_AGAIN_MS = 15_000;

/** The member who is signed in, and the account with the names of its applications. */
export function useAccount() {
  return useOperation(CurrentAccountDocument, {}, { tryAgainMs: TRY_AGAIN_MS });
}

/** What the member's role allows. The service enforces it; the page only shows no button that would be refused. */
export interface Role {
  /** Whether the member may change applications and their data (developer, owner). */
  canChange: boolean;
  /** Whether the member may delete applications, and change the account and its members. */
  isOwner: boolean;
  /** Whether the role is known; until then nothing may be changed. */
  isKnown: boolean;
}

/** The role of the member who is signed in. */
export function useRole(): Role {
  const role = useAccount().data?.currentMember.role;
  return {
    canChange: role === "OWNER" || role === "DEVELOPER",
    isOwner: role === "OWNER",
    isKnown: role !== undefined,
  };
}
