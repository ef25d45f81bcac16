import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { parseId } from "../../../core/text/ids";
import { Allow } from "../../access/request-auth";
import { iceServers } from "../../calls/ice/ice-servers";
import type { ConferenceService } from "../model/conference-service";
import { findModerated, findVisible, noConference, numberOf } from "../rooms/access";
import { ConferenceInput } from "../rooms/conference.input";
import type { ConferenceContext } from "../rooms/conference.resolver";
import {
  rowToGraphqlParticipant,
  toGraphqlConference,
  toGraphqlParticipant,
} from "../rooms/conference.type";
import {
  ConferenceDonePayload,
  ConferenceParticipantPayload,
  JoinConferencePayload,
  MembershipInput,
  MuteConferenceParticipantInput,
  RemoveConferenceParticipantInput,
  SetConferenceMuteInput,
} from "./media.input";
import { ConferenceParticipantStatistics } from "./media.type";
import { membershipId, parseMembership, participantIdentity } from "./membership";
import type { MembershipDeps } from "./membership-deps";
import { findStatistics, type StatisticsLoads } from "./statistics";

/** Context of the resolvers of participants and their media. */
export interface MembershipContext extends ConferenceContext {
  conferences: ConferenceContext["conferences"] & StatisticsLoads;
  memberships: MembershipDeps & { service: ConferenceService };
}

const DONE: ConferenceDonePayload = { done: true };

@Resolver()
export class MembershipResolver {
  @Allow("conference")
  @Mutation(() => JoinConferencePayload, {
    description:
      "Joins a conference, or takes the caller's seat over from another device. Then subscribe to conferenceEvents, which keeps the seat, publish and watch. LIMITED for a user with seats in eight conferences.",
  })
  async joinConference(
    @Ctx() { memberships, auth, caller }: MembershipContext,
    @Arg("input", () => ConferenceInput, { description: "The conference." })
    { conferenceId }: ConferenceInput,
  ): Promise<JoinConferencePayload> {
    const viewer = await auth.participant();
    const id = parseId(conferenceId);
    if (id === null) throw noConference();
    const session =
      viewer.kind === "link-guest" ? "guest" : (caller.deviceSessionId ?? viewer.sessionId);
    const identity = await participantIdentity(memberships, viewer, `graphql-${session}`);
    const { ref, participant, conference } = await memberships.service.join(identity, id);
    return {
      membershipId: membershipId(ref),
      participant: toGraphqlParticipant(participant),
      conference: toGraphqlConference(conference),
      iceServers: iceServers(
        memberships.config,
        { userId: numberOf(viewer), applicationId: viewer.applicationId },
        memberships.clock.now(),
      ),
    };
  }

  @Allow("conference")
  @Mutation(() => ConferenceDonePayload, {
    description: "Leaves a conference. Leaving twice is no error.",
  })
  async leaveConference(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => MembershipInput, { description: "The membership." }) input: MembershipInput,
  ): Promise<ConferenceDonePayload> {
    await memberships.service.leave(parseMembership(input.membershipId, await auth.participant()));
    return DONE;
  }

  @Allow("conference")
  @Mutation(() => ConferenceParticipantPayload, {
    description:
      "Tells the others what the caller has muted. The client stops sending by itself. Unmuting ends a moderator's mute, which a rejoin does not.",
  })
  async setConferenceMute(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => SetConferenceMuteInput, { description: "What is muted." })
    { membershipId: membership, audio, video }: SetConferenceMuteInput,
  ): Promise<ConferenceParticipantPayload> {
    const ref = parseMembership(membership, await auth.participant());
    const change = { ...(isGiven(audio) && { audio }), ...(isGiven(video) && { video }) };
    const participant = await memberships.hosts.run(ref.conferenceId, "setMuted", ref, change);
    return { participant: toGraphqlParticipant(participant) };
  }

  @Allow("user", "developer")
  @Mutation(() => ConferenceParticipantPayload, {
    description:
      "Mutes a participant: what it sends is dropped, of a shared screen as well, and also after it rejoins, until a moderator unmutes it here or it unmutes itself with setConferenceMute. Unmuting leaves muted what the participant has muted itself. For moderators, and for developers and owners of the application's account.",
  })
  async muteConferenceParticipant(
    @Ctx() { memberships, conferences, auth }: MembershipContext,
    @Arg("input", () => MuteConferenceParticipantInput, { description: "The participant." })
    { conferenceId, participantId, audio, video }: MuteConferenceParticipantInput,
  ): Promise<ConferenceParticipantPayload> {
    const viewer = await auth.viewer();
    const { id, applicationId } = await findModerated(memberships, viewer, conferenceId);
    const change = { ...(isGiven(audio) && { audio }), ...(isGiven(video) && { video }) };
    const number = parseId(participantId) ?? 0;
    const state = await memberships.hosts.run(id, "muteParticipant", number, change);
    if (viewer.kind !== "member") return { participant: toGraphqlParticipant(state) };
    const participants = await conferences.participantLoader.load(id);
    const participant = participants.find((each) => each.id === state.id);
    // The participant may have left since.
    return {
      participant: participant
        ? rowToGraphqlParticipant(participant, applicationId)
        : toGraphqlParticipant(state),
    };
  }

  @Allow("support")
  @Query(() => [ConferenceParticipantStatistics], {
    description:
      "What the media server has last reported of the peer connections of a conference's participants, every few seconds while media flows. Empty if it has reported nothing, if no node hosts the conference, or if the host does not answer.",
  })
  async conferenceStatistics(
    @Ctx() { conferences, auth }: MembershipContext,
    @Arg("conferenceId", () => ID, { description: "The conference." }) conferenceId: string,
  ): Promise<ConferenceParticipantStatistics[]> {
    const { conference } = await findVisible(conferences, await auth.viewer(), conferenceId);
    return findStatistics(conferences, conference);
  }

  @Allow("user", "developer")
  @Mutation(() => ConferenceDonePayload, {
    description:
      "Removes a participant, who may join again unless the conference is locked. The token of a guest by link ends: the guest needs a link to come back. For moderators, and for developers and owners of the application's account.",
  })
  async removeConferenceParticipant(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => RemoveConferenceParticipantInput, { description: "The participant." })
    { conferenceId, participantId }: RemoveConferenceParticipantInput,
  ): Promise<ConferenceDonePayload> {
    const { id } = await findModerated(memberships, await auth.viewer(), conferenceId);
    await memberships.hosts.run(id, "removeNumbers", [parseId(participantId) ?? 0], "removed");
    return DONE;
  }
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
