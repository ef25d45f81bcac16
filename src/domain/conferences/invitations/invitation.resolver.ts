import { Arg, Ctx, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Fault } from "../../../core/errors";
import { mapStream } from "../../../core/map-stream";
import type { UserViewer } from "../../../core/viewer";
import { Allow } from "../../access/request-auth";
import type { SignalContext } from "../../calls/signal.resolver";
import { type MessageOf, openSignalSubscription } from "../../calls/signal-subscription";
import { decodeCursor, encodeCursor } from "../../calls/signals/cursor";
import type { PushContext } from "../../push/deps/push-deps";
import { findVisible, requireEnabled } from "../rooms/access";
import { ConferencePayload } from "../rooms/conference.input";
import type { ConferenceContext } from "../rooms/conference.resolver";
import { toGraphqlConference } from "../rooms/conference.type";
import { readInvitation } from "./invitation";
import {
  ConferenceInvitation,
  type InvitationLoads,
  InviteToConferenceInput,
} from "./invitation.type";
import { inviteUsers } from "./invite";

/** Context of the resolvers of invitations. */
type InvitationContext = ConferenceContext &
  SignalContext &
  PushContext & { conferences: { invitationLoads: InvitationLoads } };

@Resolver()
export class ConferenceInvitationResolver {
  @Allow("user")
  @Mutation(() => ConferencePayload, {
    description:
      "Invites users to a conference: their connected devices receive a signal, over XMPP as a headline of the type `conferenceInvite`, and the others a push if the application sends incoming-call pushes. Each user counts as one push of the caller, where pushes are sent. To a conference for listed users only moderators invite, and the invitation lists the users.",
  })
  async inviteToConference(
    @Ctx() context: InvitationContext,
    @Arg("input", () => InviteToConferenceInput, { description: "Users to invite." })
    { conferenceId, userIds }: InviteToConferenceInput,
  ): Promise<ConferencePayload> {
    const { conferences, router, push, auth } = context;
    const viewer = await auth.user();
    const deps = { conferences, router, push, log: push.log };
    const device = deviceOf(viewer, context);
    const conference = await inviteUsers(deps, viewer, device, conferenceId, userIds);
    return { conference: toGraphqlConference(conference) };
  }

  @Allow("user")
  @Subscription(() => ConferenceInvitation, {
    description: "Invitations of the signed-in user to conferences.",
    subscribe: async ({
      context,
      args,
    }: {
      context: InvitationContext;
      args: { after?: string | null };
    }) => {
      const viewer = await context.auth.user();
      requireEnabled(context.conferences);
      const stream = await openSignalSubscription(context.router, {
        kind: "signal",
        party: {
          applicationId: viewer.applicationId,
          userId: viewer.userId,
          resource: deviceOf(viewer, context),
        },
        disconnect: context.caller.disconnect,
        after: decodeCursor(args.after, viewer.userId),
      });
      return mapStream(stream, (message) => toInvitation(context, viewer, message));
    },
  })
  conferenceInvitations(
    @Root() invitation: ConferenceInvitation,
    @Arg("after", () => String, {
      nullable: true,
      description:
        "Cursor of the last invitation received, less than a minute old. Everything after it is delivered first. INVALID when this cannot be guaranteed; then subscribe without it.",
    })
    _after?: string | null,
  ): ConferenceInvitation {
    return invitation;
  }
}

/** The device of a session, as calls name it. */
function deviceOf(viewer: UserViewer, { caller }: InvitationContext): string {
  return `graphql-${caller.deviceSessionId ?? viewer.sessionId}`;
}

/** Undefined for other signals, and for a conference that the user may not see: anybody can send such a signal. */
async function toInvitation(
  { conferences }: InvitationContext,
  viewer: UserViewer,
  { cursor, signal }: MessageOf<"signal">,
): Promise<ConferenceInvitation | undefined> {
  const invitation = readInvitation(signal);
  if (!invitation) return undefined;
  try {
    const { conferenceId, inviterId } = invitation;
    const conference = await conferences.invitationLoads.load(
      `${viewer.userId} ${conferenceId}`,
      async () => (await findVisible(conferences, viewer, String(conferenceId))).conference,
    );
    return {
      cursor: encodeCursor(cursor, viewer.userId),
      inviterId,
      conference: toGraphqlConference(conference),
    };
  } catch (error) {
    if (error instanceof Fault && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}
