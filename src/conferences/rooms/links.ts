import { LINK_GUEST_PREFIX } from "../../access/request-auth";
import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { checkName } from "../../core/text/field-checks";
import { parseId } from "../../core/text/ids";
import type { LinkGuestViewer, UserViewer } from "../../core/viewer";
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
  redeemLink,
} from "../rows/guest-queries";
import { findModerated, requireEnabled } from "./access";
import type { ConferenceDeps } from "./conference-deps";
import { checkRights } from "./member-rights";

/** Maximum number of links of a conference. */
export const LINKS_MAX = 50;
/** How long a link may admit guests, in seconds. */
const LINK_SECONDS = { min: 60, default: 24 * 3600, max: 30 * 24 * 3600 } as const;
/** How many guests a link may admit. */
const LINK_USES = { default: 12, max: 1_000 } as const;

/** A link for guests. */
export interface GuestLink {
  id: number;
  expiresAt: Date;
  maxUses: number;
  uses: number;
  createdAt: Date;
}

/**
 * Creates a link that admits guests.
 * @returns the link and its secret, which is shown this once
 * @throws Fault INVALID, NOT_FOUND, FORBIDDEN for somebody who does not moderate, LIMITED beyond {@link LINKS_MAX},
 * UNSUPPORTED
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
  const row = await insertLink(
    deps.store,
    {
      conferenceId: conference.id,
      secretHash: hashToken(secret),
      expiresAt: new Date(deps.clock.now() + seconds * 1000),
      maxUses: uses,
    },
    LINKS_MAX,
  );
  if (!row) throw new Fault("LIMITED", `A conference may have at most ${LINKS_MAX} links`);
  return { link: toLink(row), secret };
}

/** Lists the links of a conference, oldest first. */
export async function listLinks(
  { store }: Pick<ConferenceDeps, "store">,
  conferenceId: number,
): Promise<GuestLink[]> {
  return (await findLinks(store, conferenceId)).map(toLink);
}

/** Withdraws a link: its guests are out at once. @throws Fault NOT_FOUND, FORBIDDEN */
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
  await checkRights(deps, row.conference_id);
  return toLink(row);
}

/**
 * Admits a guest by the secret of a link.
 * @param checkOrigin checks the page that asks, before the link is used
 * @returns the guest's token, which is valid for this conference alone and ends with it
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
  const guest = await redeemLink(deps.store, {
    secretHash,
    name,
    tokenHash: hashToken(token),
    now: new Date(deps.clock.now()),
  });
  const conference = guest && (await findConference(deps.store, guest.conference_id));
  if (!conference) throw new Fault("NOT_FOUND", "The link is not valid (any more)");
  return { token, number: guest.id, conference };
}

/** Finds the guest of a token. @throws Fault UNAUTHENTICATED */
export async function findLinkGuest(
  { store }: Pick<ConferenceDeps, "store">,
  token: string,
): Promise<LinkGuestViewer> {
  const guest = await findGuest(store, hashToken(token));
  if (!guest) throw Fault.noSession();
  return {
    kind: "link-guest",
    applicationId: guest.application_id,
    conferenceId: guest.conference_id,
    number: guest.id,
    name: guest.name,
  };
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
