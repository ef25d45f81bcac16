import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { parseId } from "../../../core/text/ids";
import { Allow } from "../../access/request-auth";
import { iceServers } from "../../calls/ice/ice-servers";
import type { ConferenceService } from "../model/conference-service";
import { findModerated, findVisible, noConference, numberOf } from "../rooms/access";
import { ConferenceInput } from "../rooms/conference.input";
import type { ConferenceContext } from "../rooms/conference.resolver";
import { rowToGraphqlMember, toGraphqlConference, toGraphqlMember } from "../rooms/conference.type";
import {
  ConferenceDonePayload,
  ConferenceMemberPayload,
  JoinConferencePayload,
  MembershipInput,
  MuteConferenceMemberInput,
  RemoveConferenceMemberInput,
  SetConferenceMuteInput,
} from "./media.input";
import { ConferenceMemberStatistics } from "./media.type";
import { membershipId, parseMembership, participantFor } from "./membership";
import type { MembershipDeps } from "./membership-deps";
import { findStatistics, type StatisticsLoads } from "./statistics";

/** Context of the resolvers of members and their media. */
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
    const participant = await participantFor(memberships, viewer, `graphql-${session}`);
    const { ref, member, conference } = await memberships.service.join(participant, id);
    return {
      membershipId: membershipId(ref),
      member: toGraphqlMember(member),
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
  @Mutation(() => ConferenceMemberPayload, {
    description:
      "Tells the others what the caller has muted. The client stops sending by itself. Unmuting ends a moderator's mute, which a rejoin does not.",
  })
  async setConferenceMute(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => SetConferenceMuteInput, { description: "What is muted." })
    { membershipId: membership, audio, video }: SetConferenceMuteInput,
  ): Promise<ConferenceMemberPayload> {
    const ref = parseMembership(membership, await auth.participant());
    const change = { ...(isGiven(audio) && { audio }), ...(isGiven(video) && { video }) };
    const member = await memberships.hosts.run(ref.conferenceId, "setMuted", ref, change);
    return { member: toGraphqlMember(member) };
  }

  @Allow("user", "developer")
  @Mutation(() => ConferenceMemberPayload, {
    description:
      "Mutes a member: what it sends is dropped, of a shared screen as well, and also after it rejoins, until a moderator unmutes it here or it unmutes itself with setConferenceMute. Unmuting leaves muted what the member has muted itself. For moderators, and for developers and owners of the application's account.",
  })
  async muteConferenceMember(
    @Ctx() { memberships, conferences, auth }: MembershipContext,
    @Arg("input", () => MuteConferenceMemberInput, { description: "The member." })
    { conferenceId, memberId, audio, video }: MuteConferenceMemberInput,
  ): Promise<ConferenceMemberPayload> {
    const viewer = await auth.viewer();
    const { id, applicationId } = await findModerated(memberships, viewer, conferenceId);
    const change = { ...(isGiven(audio) && { audio }), ...(isGiven(video) && { video }) };
    const number = parseId(memberId) ?? 0;
    const state = await memberships.hosts.run(id, "muteMember", number, change);
    if (viewer.kind !== "member") return { member: toGraphqlMember(state) };
    const members = await conferences.memberLoader.load(id);
    const member = members.find((each) => each.id === state.id);
    // The member may have left since.
    return { member: member ? rowToGraphqlMember(member, applicationId) : toGraphqlMember(state) };
  }

  @Allow("support")
  @Query(() => [ConferenceMemberStatistics], {
    description:
      "What the media server has last reported of the peer connections of a conference's members, every few seconds while media flows. Empty if it has reported nothing, if no node hosts the conference, or if the host does not answer.",
  })
  async conferenceStatistics(
    @Ctx() { conferences, auth }: MembershipContext,
    @Arg("conferenceId", () => ID, { description: "The conference." }) conferenceId: string,
  ): Promise<ConferenceMemberStatistics[]> {
    const { conference } = await findVisible(conferences, await auth.viewer(), conferenceId);
    return findStatistics(conferences, conference);
  }

  @Allow("user", "developer")
  @Mutation(() => ConferenceDonePayload, {
    description:
      "Removes a member, who may join again unless the conference is locked. The token of a guest by link ends: the guest needs a link to come back. For moderators, and for developers and owners of the application's account.",
  })
  async removeConferenceMember(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => RemoveConferenceMemberInput, { description: "The member." })
    { conferenceId, memberId }: RemoveConferenceMemberInput,
  ): Promise<ConferenceDonePayload> {
    const { id } = await findModerated(memberships, await auth.viewer(), conferenceId);
    await memberships.hosts.run(id, "removeNumbers", [parseId(memberId) ?? 0], "removed");
    return DONE;
  }
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
