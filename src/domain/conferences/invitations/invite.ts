import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import { parseId } from "../../../core/text/ids";
import { truncateText } from "../../../core/text/text";
import type { UserViewer } from "../../../core/viewer";
import {
  type CallPushSettings,
  findCallPushSettings,
} from "../../applications/application-queries";
import type { Router } from "../../calls/router";
import type { Party } from "../../calls/signals/signal";
import type { PushDeps } from "../../push/deps/push-deps";
import { createEvents } from "../../push/events/events";
import { findUsersById } from "../../users/user-queries";
import { type Conference, displayName } from "../model/conference";
import { findVisible, requireEnabled, requireOpen } from "../rooms/access";
import type { ConferenceDeps } from "../rooms/conference-deps";
import { listInvited } from "../rooms/listed-users";
import { invitationSignal } from "./invitation";

/** Maximum number of users of one invitation. */
export const INVITED_MAX = 50;
/** Maximum length of a name in a push, in characters. */
const NAME_MAX = 64;
/** How long a push service may try to deliver the push, in milliseconds. */
const PUSH_TTL_MS = 60_000;

/** What an invitation needs besides the conferences. */
export interface InvitationDeps {
  conferences: ConferenceDeps;
  router: Router;
  push: PushDeps;
  log: Log;
}

/**
 * Invites users to a conference: by a signal to their connected devices, and by a push if the application sends
 * incoming-call pushes. A moderator's invitation also lists the users, so that they may join.
 * @param device the device of the viewer that invites
 * @throws Fault INVALID on `userIds`, NOT_FOUND, FORBIDDEN for users who may not join unless a moderator invites
 * them, CONFLICT if the conference is closed, LIMITED, UNSUPPORTED
 */
export async function inviteUsers(
  deps: InvitationDeps,
  viewer: UserViewer,
  device: string,
  conferenceId: string,
  userIds: string[],
): Promise<Conference> {
  requireEnabled(deps.conferences);
  const { conference, rights } = await findVisible(deps.conferences, viewer, conferenceId);
  requireOpen(conference);
  if (userIds.length === 0 || userIds.length > INVITED_MAX) {
    throw Fault.field("userIds", `must be 1 to ${INVITED_MAX} users`);
  }
  const ids = [...new Set(userIds.map((text) => parseId(text) ?? 0))];
  const users = await findUsersById(deps.push, ids);
  const missing = ids.find((id) => users.get(id)?.applicationId !== viewer.applicationId);
  if (missing !== undefined) throw Fault.field("userIds", `There is no user ${missing}`);
  if (conference.access === "listed") {
    if (!rights.moderate) {
      throw new Fault("FORBIDDEN", "Only a moderator may invite to this conference");
    }
  }
  const settings = await findPushSettings(deps, viewer.applicationId);
  // Before anything is sent: each user is one push, as if they were invited one by one.
  if (settings) await deps.push.limits.countPush(viewer.userId, ids.length);
  if (conference.access === "listed") {
    const { store } = deps.conferences;
    await store.transaction((transaction) => listInvited(transaction, conference, ids));
  }
  const invitation = {
    conferenceId: conference.id,
    conferenceName: conference.name,
    inviterId: viewer.userId,
  };
  const { applicationId, userId } = viewer;
  const from: Party = { applicationId, userId, resource: device };
  for (const id of ids) await deps.router.send("graphql", invitationSignal(from, id, invitation));
  if (settings) await pushInvitation(deps, viewer, conference, ids, settings);
  return conference;
}

/** The settings of the application's incoming-call pushes; undefined if it sends none. */
async function findPushSettings({ push }: InvitationDeps, applicationId: number) {
  return (await findCallPushSettings(push.store, [applicationId])).get(applicationId);
}

/** Sends the push of an invitation. A user without a device gets none; a refused push does not undo the signals. */
async function pushInvitation(
  { push, log }: InvitationDeps,
  { applicationId, userId }: UserViewer,
  conference: Conference,
  userIds: number[],
  { environment }: CallPushSettings,
): Promise<void> {
  const inviter = (await findUsersById(push, [userId])).get(userId);
  if (!inviter) return;
  const notification = {
    title: truncateText(conference.name, NAME_MAX),
    body: `${truncateText(displayName(inviter), NAME_MAX)} invites you to a conference`,
    data: { conference: { id: String(conference.id), inviterId: String(userId) } },
    expiresAt: new Date(push.clock.now() + PUSH_TTL_MS),
  };
  try {
    await createEvents(
      push,
      { applicationId, userId },
      {
        environment,
        message: { notification },
        userIds: userIds.map(String),
      },
    );
  } catch (error) {
    // No recipient has a device.
    if (!(error instanceof Fault) || error.code === "UNAVAILABLE") throw error;
    log.info({ user: userId, code: error.code }, "no push for a conference invitation");
  }
}
