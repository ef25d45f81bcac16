import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { isGiven } from "../../paging/page";
import { ConferenceDonePayload, ConferenceMemberPayload } from "../membership/media.input";
import { ApplicationConferenceInput } from "../rooms/conference.input";
import { toGraphqlMember } from "../rooms/conference.type";
import {
  ApplicationConferencePayload,
  MuteApplicationConferenceMemberInput,
  RemoveApplicationConferenceMemberInput,
  UpdateApplicationConferenceInput,
} from "./application-conference.input";
import { toOwnersConference } from "./application-conference.type";
import {
  closeOwnConference,
  muteOwnMember,
  removeOwnMember,
  updateOwnConference,
} from "./application-conferences";
import {
  applicationOfOwner,
  type OwnerConferenceContext,
} from "./application-conferences.resolver";

@Resolver()
export class ApplicationModerationResolver {
  @Allow("developer")
  @Mutation(() => ApplicationConferencePayload, {
    description: "Changes a conference of one of the account's applications.",
  })
  async updateApplicationConference(
    @Ctx() context: OwnerConferenceContext,
    @Arg("input", () => UpdateApplicationConferenceInput, { description: "The changes." })
    { applicationId, conferenceId, ...changes }: UpdateApplicationConferenceInput,
  ): Promise<ApplicationConferencePayload> {
    const id = await applicationOfOwner(context, applicationId);
    const changed = await updateOwnConference(context.conferences, id, conferenceId, changes);
    return { conference: toOwnersConference(changed) };
  }

  @Allow("developer")
  @Mutation(() => ApplicationConferencePayload, {
    description: "Closes a conference of one of the account's applications; its members are out.",
  })
  async closeApplicationConference(
    @Ctx() context: OwnerConferenceContext,
    @Arg("input", () => ApplicationConferenceInput, { description: "The conference." })
    { applicationId, conferenceId }: ApplicationConferenceInput,
  ): Promise<ApplicationConferencePayload> {
    const id = await applicationOfOwner(context, applicationId);
    const closed = await closeOwnConference(context.conferences, id, conferenceId);
    return { conference: toOwnersConference(closed) };
  }

  @Allow("developer")
  @Mutation(() => ConferenceMemberPayload, {
    description:
      "Mutes a member of a conference of one of the account's applications, as muteConferenceMember does: what it sends is dropped, until somebody unmutes it here, a moderator does, or it unmutes itself.",
  })
  async muteApplicationConferenceMember(
    @Ctx() context: OwnerConferenceContext,
    @Arg("input", () => MuteApplicationConferenceMemberInput, { description: "The member." })
    { applicationId, audio, video, ...member }: MuteApplicationConferenceMemberInput,
  ): Promise<ConferenceMemberPayload> {
    const id = await applicationOfOwner(context, applicationId);
    const change = { ...(isGiven(audio) && { audio }), ...(isGiven(video) && { video }) };
    const muted = await muteOwnMember(context.conferences, id, member, change);
    return { member: toGraphqlMember(muted) };
  }

  @Allow("developer")
  @Mutation(() => ConferenceDonePayload, {
    description:
      "Removes a member of a conference of one of the account's applications, who may join again unless the conference is locked. The token of a guest by link ends.",
  })
  async removeApplicationConferenceMember(
    @Ctx() context: OwnerConferenceContext,
    @Arg("input", () => RemoveApplicationConferenceMemberInput, { description: "The member." })
    { applicationId, ...member }: RemoveApplicationConferenceMemberInput,
  ): Promise<ConferenceDonePayload> {
    const id = await applicationOfOwner(context, applicationId);
    await removeOwnMember(context.conferences, id, member);
    return { done: true };
  }
}
