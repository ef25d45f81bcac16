/** A user. Times are Dates, ids are integers up to 2^53-1. */
export interface User {
  id: number;
  /** Same as `id`, for the GraphQL field of this name. */
  databaseId: number;
  applicationId: number;
  login: string | null;
  email: string | null;
  externalUserId: string | null;
  externalId: string | null;
  facebookId: string | null;
  twitterId: string | null;
  fullName: string | null;
  phone: string | null;
  website: string | null;
  customData: string | null;
  /** At most five, in the order given. */
  tags: string[];
  avatar: string | null;
  blobId: number | null;
  /** UTC offset in minutes. */
  timezone: number | null;
  isGuest: boolean;
  lastRequestAt: Date | null;
  /** Since when the user is blocked; null while the user may sign in. */
  blockedAt: Date | null;
  /** Why the user is blocked, as a member of the account noted it. */
  blockReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}
