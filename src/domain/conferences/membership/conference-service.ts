import { Fault } from "../../../core/errors";
import type { LinkGuestViewer, UserViewer } from "../../../core/viewer";
import {
  type Conference,
  LEGACY_EMPTY_SECONDS,
  type ParticipantIdentity,
  SEATS_MAX,
  VIDEO_BITRATE,
} from "../model/conference";
import type { ConferenceService } from "../model/conference-service";
import { noConference, requireEnabled, requireOpen, rightsOf } from "../rooms/access";
import { checkConferenceName, checkOpenConferences } from "../rooms/conferences";
import { findConference, findOpenConference, insertConference } from "../rows/conference-queries";
import { findSeatedParticipants, participantState } from "../rows/participant-queries";
import type { MembershipDeps } from "./membership-deps";

/** Opens the commands of conferences for the transports. */
export function openConferenceService(deps: MembershipDeps): ConferenceService {
  const { store, hosts, readers } = deps;
  return {
    async openByName(identity, name) {
      requireEnabled(deps);
      return openByName(deps, identity, name);
    },

    async join(identity, conferenceId, { legacy = false } = {}) {
      requireEnabled(deps);
      const conference = await findConference(store, conferenceId);
      if (conference?.applicationId !== identity.applicationId) throw noConference();
      requireOpen(conference);
      const rights = await rightsOf(deps, viewerOf(identity), conference);
      // The same as for one that does not exist: ids can be counted through.
      if (!rights.join) throw noConference();
      const joined = await hosts.run(conferenceId, "join", identity, rights.moderate, legacy);
      const participants = await findSeatedParticipants(store, conferenceId);
      return { ...joined, conference, participants: participants.map(participantState) };
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

    async participants(conferenceId) {
      return (await findSeatedParticipants(store, conferenceId)).map(participantState);
    },
  };
}

async function openByName(
  { store, counters, mayCreateOnJoin, countNewCall }: MembershipDeps,
  { applicationId, number, kind }: ParticipantIdentity,
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
      emptyAfterSeconds: LEGACY_EMPTY_SECONDS,
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
}: ParticipantIdentity): UserViewer | LinkGuestViewer {
  if (kind === "guest-link") {
    return { kind: "link-guest", applicationId, conferenceId, number, name };
  }
  return { kind: "user", applicationId, userId: number, sessionId: 0 };
}
