import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Limited } from "../../../platform/limits/rate-limits";
import { Allow } from "../../access/request-auth";
import {
  AdmitConferenceGuestInput,
  AdmitConferenceGuestPayload,
  ConferenceLink,
  CreateConferenceLinkInput,
  CreateConferenceLinkPayload,
  DeleteConferenceLinkInput,
  DeleteConferenceLinkPayload,
} from "./conference.input";
import type { ConferenceContext } from "./conference.resolver";
import { toGraphqlConference } from "./conference.type";
import { admitGuest, createLink, listLinks, withdrawLink } from "./links";

@Resolver()
export class ConferenceLinkResolver {
  @Allow("user", "support")
  @Query(() => [ConferenceLink], {
    description:
      "The links that admit guests to a conference, without their secrets. For moderators, and for members of the application's account.",
  })
  async conferenceLinks(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("conferenceId", () => ID, { description: "The conference." }) conferenceId: string,
  ): Promise<ConferenceLink[]> {
    return listLinks(conferences, await auth.viewer(), conferenceId);
  }

  @Allow("user")
  @Mutation(() => CreateConferenceLinkPayload, {
    description:
      "Creates a link that admits guests without an account to a conference. For moderators. The link is deleted, and its guests are out, when its creator is blocked or deleted, or no longer moderates the conference.",
  })
  async createConferenceLink(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => CreateConferenceLinkInput, { description: "The link." })
    { conferenceId, ...options }: CreateConferenceLinkInput,
  ): Promise<CreateConferenceLinkPayload> {
    return createLink(conferences, await auth.user(), conferenceId, options);
  }

  @Allow("user")
  @Mutation(() => DeleteConferenceLinkPayload, {
    description: "Withdraws a link: the guests that it admitted are out at once. For moderators.",
  })
  async deleteConferenceLink(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => DeleteConferenceLinkInput, { description: "The link." })
    { linkId }: DeleteConferenceLinkInput,
  ): Promise<DeleteConferenceLinkPayload> {
    const { id } = await withdrawLink(conferences, await auth.user(), linkId);
    return { deletedLinkId: id };
  }

  @Allow("public")
  @Limited("sign-up")
  @Mutation(() => AdmitConferenceGuestPayload, {
    description:
      "Admits a guest without an account by the secret of a link. The guest joins with joinConference.",
  })
  async admitConferenceGuest(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => AdmitConferenceGuestInput, { description: "The guest." })
    { secret, name }: AdmitConferenceGuestInput,
  ): Promise<AdmitConferenceGuestPayload> {
    const { token, conference } = await admitGuest(conferences, secret, name, (applicationId) =>
      auth.checkOrigin(applicationId),
    );
    return { token, conference: toGraphqlConference(conference) };
  }
}
