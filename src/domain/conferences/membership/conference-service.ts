import { Fault } from "../../../core/errors";
import type { LinkGuestViewer, UserViewer } from "../../../core/viewer";
import { type Conference, type Participant, SEATS_MAX, VIDEO_BITRATE } from "../model/conference";
import type { ConferenceService } from "../model/conference-service";
import { noConference, requireEnabled, requireOpen, rightsOf } from "../rooms/access";
import { checkConferenceName, checkOpenConferences } from "../rooms/conferences";
import { findConference, findOpenConference, insertConference } from "../rows/conference-queries";
import { findMembers, memberState } from "../rows/member-queries";
import type { MembershipDeps } from "./membership-deps";

/** Opens the commands of conferences for the transports. */
export function openConferenceService(deps: MembershipDeps): ConferenceService {
  const { store, hosts, readers } = deps;
  return {
    async openByName(participant, name) {
      requireEnabled(deps);
      return openByName(deps, participant, name);
    },

    async join(participant, conferenceId, { legacy = false } = {}) {
      requireEnabled(deps);
      const conference = await findConference(store, conferenceId);
      if (conference?.applicationId !== participant.applicationId) throw noConference();
      requireOpen(conference);
      const rights = await rightsOf(deps, viewerOf(participant), conference);
      // The same as for one that does not exist: ids can be counted through.
      if (!rights.join) throw noConference();
      const joined = await hosts.run(conferenceId, "join", participant, rights.moderate, legacy);
      const members = await findMembers(store, conferenceId);
      return { ...joined, conference, members: members.map(memberState) };
    },

    leave: (ref) => hosts.run(ref.conferenceId, "leave", ref),
    publish: (ref, source, offer) => hosts.run(ref.conferenceId, "publish", ref, source, offer),
    watch: (ref, feed) => hosts.run(ref.conferenceId, "watch", ref, feed),
    signal: (ref, peer, message) => hosts.run(ref.conferenceId, "signal", ref, peer, message),
    closePeer: (ref, peer) => hosts.run(ref.conferenceId, "closePeer", ref, peer),

    async subscribe(subscriber, after) {
      requireEnabled(deps);
      return readers.subscribe(subscriber, after);
    },

    async members(conferenceId) {
      return (await findMembers(store, conferenceId)).map(memberState);
    },
  };
}

async function openByName(
  { store, counters, mayCreateOnJoin, countNewCall }: MembershipDeps,
  { applicationId, number, kind }: Participant,
  name: string,
): Promise<Conference> {
  checkConferenceName(name);
  const found = await findOpenConference(store, applicationId, name, number);
  if (found) return found;
  if (kind !== "user") throw noConference();
  if (!(await mayCreateOnJoin(applicationId))) {
    throw new Fault("FORBIDDEN", "The application does not create conferences on join");
  }
  await countNewCall({ applicationId, userId: number });
  const created = await store.transaction(async (transaction) => {
    await checkOpenConferences(transaction, number);
    return insertConference(transaction, {
      applicationId,
      name,
      seats: SEATS_MAX,
      video: true,
      access: "everyone",
      origin: "legacy",
      bitrate: VIDEO_BITRATE.default,
      createdBy: number,
    });
  });
  if (created) counters.count(applicationId, "conferences");
  // Another node may have created it by now.
  const conference = created ?? (await findOpenConference(store, applicationId, name, number));
  if (!conference) throw new Fault("UNAVAILABLE", "The conference has just ended", undefined, 1);
  return conference;
}

/** What the rights of a participant depend on. */
function viewerOf({
  applicationId,
  number,
  kind,
  name,
  conferenceId = 0,
}: Participant): UserViewer | LinkGuestViewer {
  if (kind === "guest-link") {
    return { kind: "link-guest", applicationId, conferenceId, number, name };
  }
  return { kind: "user", applicationId, userId: number, sessionId: 0 };
}
