import { Fault } from "../../../core/errors";
import { hashToken, newToken } from "../../../core/random";
import { checkName } from "../../../core/text/field-checks";
import { parseId } from "../../../core/text/ids";
import type { LinkGuestViewer, UserViewer } from "../../../core/viewer";
import { purgeRows } from "../../../platform/store/rows/expired-rows";
import { LINK_GUEST_PREFIX } from "../../access/token-forms";
import type { SessionEvents } from "../../session-events/session-events";
import { lockUnblockedUser } from "../../users/block-queries";
import type { Conference } from "../model/conference";
import { findConference } from "../rows/conference-queries";
import {
  deleteLink,
  findGuest,
  findLink,
  findLinkApplication,
  findLinks,
  insertLink,
  type LinkRow,
  lockListing,
  redeemLink,
} from "../rows/guest-queries";
import { EXPIRED_GUESTS, findLiveGuests } from "../rows/link-rights-queries";
import {
  type ConferenceViewer,
  findModerated,
  findVisible,
  notModerator,
  requireEnabled,
  rightsOf,
} from "./access";
import type { ConferenceDeps } from "./conference-deps";
import { checkRights } from "./participant-rights";

/** Maximum number of links of a conference. */
export const LINKS_MAX = 50;
/** How long a link may admit guests, in seconds. */
const LINK_SECONDS = { min: 60, default: 24 * 3600, max: 30 * 24 * 3600 } as const;
/** How many guests a link may admit. */
const LINK_USES = { default: 12, max: 1_000 } as const;

/** How long the token of a guest lives at most, in milliseconds. */
const GUEST_TOKEN_MS = 24 * 3600 * 1000;
/** How long the row of a guest stays after the end of its token, so that its host can say why it is out, in ms. */
const GUEST_MARGIN_MS = 3600 * 1000;

/** A link for guests. */
export interface GuestLink {
  id: number;
  expiresAt: Date;
  maxUses: number;
  uses: number;
  createdAt: Date;
}

/**
 * Creates a link that admits guests. It ends with the right of its creator to make it: a block, the user's deletion and
 * a change of the lists wait for the locks of this transaction, so that they see the link and delete it.
 * @returns the link and its secret, which is shown this once
 * @throws Fault INVALID, NOT_FOUND, FORBIDDEN for somebody who does not moderate, LIMITED beyond {@link LINKS_MAX},
 * UNAUTHENTICATED for a user who is being blocked, UNSUPPORTED
 */
export async function createLink(
  deps: ConferenceDeps,
  viewer: UserViewer,
  conferenceId: string,
  { validSeconds, maxUses }: { validSeconds?: number | null; maxUses?: number | null },
): Promise<{ link: GuestLink; secret: string }> {
  requireEnabled(deps);
  const conference = await findModerated(deps, viewer, conferenceId);
  const seconds = validSeconds ?? LINK_SECONDS.default;
  if (seconds < LINK_SECONDS.min || seconds > LINK_SECONDS.max) {
    throw Fault.field(
      "validSeconds",
      `must be between ${LINK_SECONDS.min} and ${LINK_SECONDS.max}`,
    );
  }
  const uses = maxUses ?? LINK_USES.default;
  if (uses < 1 || uses > LINK_USES.max) {
    throw Fault.field("maxUses", `must be between 1 and ${LINK_USES.max}`);
  }
  const secret = newToken();
  const row = await deps.store.transaction(async (transaction) => {
    if (!(await lockUnblockedUser(transaction, viewer.userId))) throw Fault.noSession();
    await lockListing(transaction, conference.id, viewer.userId);
    const rights = await rightsOf({ store: transaction }, viewer, conference);
    if (!rights.moderate) throw notModerator();
    const link = {
      conferenceId: conference.id,
      secretHash: hashToken(secret),
      expiresAt: new Date(deps.clock.now() + seconds * 1000),
      maxUses: uses,
      createdBy: viewer.userId,
    };
    return insertLink(transaction, link, LINKS_MAX);
  });
  if (!row) throw new Fault("LIMITED", `A conference may have at most ${LINKS_MAX} links`);
  return { link: toLink(row), secret };
}

/**
 * Lists the links of a conference, oldest first, for moderators of an open one and for members of the account.
 * @throws Fault NOT_FOUND, FORBIDDEN, CONFLICT if it is closed
 */
export async function listLinks(
  deps: Pick<ConferenceDeps, "store">,
  viewer: ConferenceViewer,
  conferenceId: string,
): Promise<GuestLink[]> {
  const { id } =
    viewer.kind === "member"
      ? (await findVisible(deps, viewer, conferenceId)).conference
      : await findModerated(deps, viewer, conferenceId);
  return (await findLinks(deps.store, id)).map(toLink);
}

/** Withdraws a link: its guests are out at once, and their tokens end. @throws Fault NOT_FOUND, FORBIDDEN */
export async function withdrawLink(
  deps: ConferenceDeps,
  viewer: UserViewer,
  id: string,
): Promise<GuestLink> {
  const linkId = parseId(id);
  const row = linkId === null ? null : await findLink(deps.store, linkId);
  if (!row) throw new Fault("NOT_FOUND", "There is no such link");
  await findModerated(deps, viewer, String(row.conference_id));
  await deleteLink(deps.store, row.id);
  deps.sessionEvents.publish({ kind: "guests", conferenceId: row.conference_id });
  await checkRights(deps, row.conference_id);
  return toLink(row);
}

/**
 * Admits a guest by the secret of a link.
 * @param checkOrigin checks the page that asks, before the link is used
 * @returns the guest's token, which is valid for this conference only, and ends with the conference, with the link,
 * when a moderator removes the guest, and after {@link GUEST_TOKEN_MS}
 * @throws Fault INVALID on `name`; NOT_FOUND for a secret that is unknown, expired, withdrawn or used up; errors of
 * `checkOrigin`; UNSUPPORTED
 */
export async function admitGuest(
  deps: ConferenceDeps,
  secret: string,
  name: string,
  checkOrigin: (applicationId: number) => Promise<void>,
): Promise<{ token: string; number: number; conference: Conference }> {
  requireEnabled(deps);
  checkName(name);
  const secretHash = hashToken(secret);
  const applicationId = await findLinkApplication(deps.store, secretHash);
  if (applicationId !== null) await checkOrigin(applicationId);
  const token = `${LINK_GUEST_PREFIX}${newToken()}`;
  const now = deps.clock.now();
  const guest = await redeemLink(deps.store, {
    secretHash,
    name,
    tokenHash: hashToken(token),
    now: new Date(now),
    until: new Date(now + GUEST_TOKEN_MS),
  });
  const conference = guest && (await findConference(deps.store, guest.conference_id));
  if (!conference) throw new Fault("NOT_FOUND", "The link is not valid (any more)");
  return { token, number: guest.id, conference };
}

/** Finds the guest of a token. @throws Fault UNAUTHENTICATED */
export async function findLinkGuest(
  { store, clock }: Pick<ConferenceDeps, "store" | "clock">,
  token: string,
): Promise<LinkGuestViewer> {
  const guest = await findGuest(store, hashToken(token), new Date(clock.now()));
  if (!guest) throw Fault.noSession();
  return {
    kind: "link-guest",
    applicationId: guest.application_id,
    conferenceId: guest.conference_id,
    number: guest.id,
    name: guest.name,
  };
}

/**
 * Closes the connections of this node whose guests have no valid token any more.
 * @param conferenceId only those of this conference
 */
export async function closeEndedGuestConnections(
  {
    store,
    clock,
    sessionEvents,
  }: Pick<ConferenceDeps, "store" | "clock"> & { sessionEvents: Pick<SessionEvents, "guests"> },
  conferenceId?: number,
): Promise<void> {
  const connections = sessionEvents.guests.tracked(conferenceId);
  if (connections.length === 0) return;
  const numbers = [...new Set(connections.map(({ number }) => number))];
  const live = await findLiveGuests(store, numbers, new Date(clock.now()));
  for (const connection of connections) {
    if (!live.has(connection.number)) connection.close();
  }
}

/** Deletes guests whose tokens have expired. Idempotent and safe to run concurrently. */
export async function purgeLinkGuests({
  store,
  clock,
}: Pick<ConferenceDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_GUESTS, new Date(clock.now() - GUEST_MARGIN_MS));
}

function toLink(row: LinkRow): GuestLink {
  return {
    id: row.id,
    expiresAt: row.expires_at,
    maxUses: row.max_uses,
    uses: row.uses,
    createdAt: row.created_at,
  };
}
