import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import type { Transaction } from "../../../platform/store/store";
import type { Conference } from "../model/conference";
import {
  addListedUsers,
  findListedUsers,
  removeListedUsers,
  removeModerators,
} from "../rows/guest-queries";
import { deleteUnmoderatedLinks } from "../rows/link-rights-queries";

/** Maximum number of listed users of a conference. */
export const LISTED_MAX = 200;

/** The lists of a conference; one that is omitted stays as it is. */
export interface ListRequest {
  /** Ids of the users who are listed. */
  userIds?: string[] | null;
  /** Ids of the users who are listed and moderate. */
  moderatorIds?: string[] | null;
}

/** The conference whose lists change. */
type ListedConference = Pick<Conference, "id" | "applicationId">;

/**
 * Replaces the lists that are given. Moderators stay when only users are given; when only moderators are given, the
 * former ones stay listed. Links that former moderators have made are deleted, with their guests.
 * @returns whether there were such links
 * @throws Fault INVALID on `userIds` or `moderatorIds`
 */
export async function changeLists(
  transaction: Pick<Transaction, "query">,
  conference: ListedConference,
  request: ListRequest,
): Promise<boolean> {
  const users = readIds("userIds", request.userIds);
  const moderators = readIds("moderatorIds", request.moderatorIds);
  if (users === null && moderators === null) return false;
  const { id } = conference;
  const all = [...new Set([...(users ?? []), ...(moderators ?? [])])];
  if (users !== null) await removeListedUsers(transaction, id, all, moderators !== null);
  else if (moderators !== null) await removeModerators(transaction, id, moderators);
  await list(transaction, conference, all, moderators);
  return deleteUnmoderatedLinks(transaction, id);
}

/** Lists invited users. Moderators among them stay moderators. @throws Fault INVALID on `userIds` */
export async function listInvited(
  transaction: Pick<Transaction, "query">,
  conference: ListedConference,
  userIds: number[],
): Promise<void> {
  await list(transaction, conference, userIds, null);
}

/** @param moderatorIds null to keep who moderates */
async function list(
  transaction: Pick<Transaction, "query">,
  conference: ListedConference,
  userIds: number[],
  moderatorIds: number[] | null,
): Promise<void> {
  const keep = moderatorIds === null;
  const ids = await addListedUsers(transaction, conference, userIds, moderatorIds ?? [], keep);
  const existing = new Set(ids);
  const missing = userIds.find((id) => !existing.has(id));
  if (missing !== undefined) throw Fault.field("userIds", `There is no user ${missing}`);
  if ((await findListedUsers(transaction, conference.id)).length > LISTED_MAX) {
    throw tooMany("userIds");
  }
}

/** @returns null for a list that is not given */
function readIds(field: string, texts: string[] | null | undefined): number[] | null {
  if (texts === null || texts === undefined) return null;
  if (texts.length > LISTED_MAX) throw tooMany(field);
  return texts.map((text) => {
    const id = parseId(text);
    if (id === null) throw Fault.field(field, "must be ids of users");
    return id;
  });
}

function tooMany(field: string): Fault {
  return Fault.field(field, `may list at most ${LISTED_MAX} users`);
}
