import type { UserProfileFieldsFragment } from "./user.generated.ts";

/** The user that the page is about. */
export interface UserRef {
  applicationId: string;
  user: UserProfileFieldsFragment;
  /** What the user is called on the page. */
  name: string;
  /** Whether the member may change users. */
  canChange: boolean;
}
