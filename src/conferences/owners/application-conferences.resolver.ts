import { Arg, Args, Ctx, FieldResolver, ID, Resolver, Root, Subscription } from "type-graphql";
import { eachWhileMember } from "../../access/member-stream";
import { Allow } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import type { ApplicationDeps } from "../../applications/application-deps";
import { findOwnedApplication } from "../../applications/owned-applications";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { MemberFigures } from "../peers/peer";
import { noConference } from "../rooms/access";
import { ConferenceLink } from "../rooms/conference.input";
import type { ConferenceContext } from "../rooms/conference.resolver";
import { ConferenceParticipationConnection } from "../rooms/conference.type";
import { listHistory } from "../rooms/conferences";
import { listLinks } from "../rooms/links";
import type { ApplicationConference } from "../rows/application-conference-queries";
import {
  ApplicationConferenceArgs,
  ApplicationConferenceConnection,
  ApplicationConferenceMemberType,
  ApplicationConferenceType,
  ConferencePeerFigures,
  ListedApplicationConference,
  ListedApplicationConferenceMember,
  toListedMember,
  toOwnersConference,
  toOwnersMember,
} from "./application-conference.type";
import {
  findFigures,
  findOwnConference,
  listOwnConferences,
  nameCursor,
  type OwnerConferenceDeps,
  watchConferences,
} from "./application-conferences";

/** Context of the owners' operations on conferences. */
export interface OwnerConferenceContext extends ConferenceContext {
  conferences: ConferenceContext["conferences"] & OwnerConferenceDeps;
  admin: ApplicationDeps;
}

/** Finds the application of an argument. @throws Fault NOT_FOUND */
export async function applicationOfOwner(
  { admin, auth }: OwnerConferenceContext,
  id: string,
): Promise<number> {
  const { accountId } = await auth.account();
  return (await findOwnedApplication(admin, accountId, id)).id;
}

@Resolver(() => ApplicationType)
export class ApplicationConferencesResolver {
  @FieldResolver(() => ApplicationConferenceConnection, {
    description: "Conferences of the application: newest first, or by name if name is given.",
  })
  async conferences(
    @Root() { id }: ApplicationType,
    @Ctx() { conferences }: OwnerConferenceContext,
    @Args(() => ApplicationConferenceArgs) request: ApplicationConferenceArgs,
  ): Promise<ApplicationConferenceConnection> {
    const { nodes, ...neighbours } = await listOwnConferences(conferences, id, request);
    const page = { ...neighbours, nodes: nodes.map(toOwnersConference) };
    return typeof request.name === "string" ? toConnection(page, nameCursor) : toConnection(page);
  }

  @FieldResolver(() => ApplicationConferenceType, {
    nullable: true,
    description: "A conference of the application; null if there is no such conference.",
  })
  async conference(
    @Root() { id: applicationId }: ApplicationType,
    @Ctx() { conferences }: OwnerConferenceContext,
    @Arg("id", () => ID, { description: "The conference." }) id: string,
  ): Promise<ApplicationConferenceType | null> {
    const conference = await findOwnConference(conferences, applicationId, id);
    return conference && toOwnersConference(conference);
  }
}

@Resolver(() => ListedApplicationConference)
export class ListedApplicationConferenceResolver {
  @FieldResolver(() => [ListedApplicationConferenceMember], {
    description: "Who is in the conference now, by the time they joined.",
  })
  async members(
    @Root() { source }: ListedApplicationConference,
    @Ctx() { conferences }: OwnerConferenceContext,
  ): Promise<ListedApplicationConferenceMember[]> {
    if (source.closedAt !== null) return [];
    return (await conferences.memberLoader.load(source.id)).map(toListedMember);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "The media server, `embedded` or `janus`, while a node hosts the conference.",
  })
  engine(
    @Root() { source }: ListedApplicationConference,
    @Ctx() { conferences }: OwnerConferenceContext,
  ): string | null {
    return source.host === null ? null : conferences.engineName;
  }
}

@Resolver(() => ApplicationConferenceType)
export class ApplicationConferenceFieldsResolver {
  @FieldResolver(() => [ApplicationConferenceMemberType], {
    description: "Who is in the conference now, by the time they joined.",
  })
  async members(
    @Root() { source }: ApplicationConferenceType,
    @Ctx() { conferences }: OwnerConferenceContext,
  ): Promise<ApplicationConferenceMemberType[]> {
    if (source.closedAt !== null) return [];
    let figures: Promise<MemberFigures[]> | undefined;
    const load = () => {
      figures ??= conferences.ownerLoads.figures.load(String(source.id), () =>
        findFigures(conferences, source),
      );
      return figures;
    };
    const members = await conferences.memberLoader.load(source.id);
    return members.map((row) => toOwnersMember(row, load));
  }

  @FieldResolver(() => ConferenceParticipationConnection, {
    description: "Who is and has been in the conference, by the time they joined.",
  })
  async history(
    @Root() { id }: ApplicationConferenceType,
    @Ctx() { conferences }: OwnerConferenceContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ConferenceParticipationConnection> {
    const key = JSON.stringify([id, page]);
    return toConnection(
      await conferences.ownerLoads.history.load(key, () => listHistory(conferences, id, page)),
    );
  }

  @FieldResolver(() => [ConferenceLink], {
    description: "The links that admit guests to the conference, without their secrets.",
  })
  async links(
    @Root() { id }: ApplicationConferenceType,
    @Ctx() { conferences }: OwnerConferenceContext,
  ): Promise<ConferenceLink[]> {
    return conferences.ownerLoads.links.load(String(id), () => listLinks(conferences, id));
  }
}

@Resolver(() => ApplicationConferenceMemberType)
export class ApplicationConferenceMemberResolver {
  @FieldResolver(() => [ConferencePeerFigures], {
    description:
      "What the media server has last reported of the member's peer connections, every few seconds while media flows; empty if it has reported nothing, or the host does not answer.",
  })
  async statistics(
    @Root() { row, figures }: ApplicationConferenceMemberType,
  ): Promise<ConferencePeerFigures[]> {
    return (await figures())
      .filter(({ memberId }) => memberId === row.id)
      .map(({ source, statistics }) => ({ source, ...statistics }));
  }
}

@Resolver()
export class ApplicationConferenceStreamResolver {
  @Allow("support")
  @Subscription(() => ListedApplicationConference, {
    description:
      "Conferences of one of the account's applications: first those with members, up to 1,000, then each conference whenever its settings, its members or what they send and mute changes, and when it is closed. A slow subscriber gets the last state of each.",
    subscribe: async ({
      context,
      args,
    }: {
      context: OwnerConferenceContext;
      args: { applicationId: string };
    }) => {
      const { conferences, auth } = context;
      const applicationId = await applicationOfOwner(context, args.applicationId);
      return eachWhileMember(auth, await watchConferences(conferences, applicationId, null));
    },
  })
  applicationConferences(
    @Root() conference: ApplicationConference,
    @Arg("applicationId", () => ID, { description: "The application." }) _applicationId: string,
  ): ListedApplicationConference {
    return toOwnersConference(conference);
  }

  @Allow("support")
  @Subscription(() => ApplicationConferenceType, {
    description:
      "A conference of one of the account's applications: first as it is, then whenever its settings, its members or what they send and mute changes, and when it is closed.",
    subscribe: async ({
      context,
      args,
    }: {
      context: OwnerConferenceContext;
      args: { applicationId: string; id: string };
    }) => {
      const { conferences, auth } = context;
      const applicationId = await applicationOfOwner(context, args.applicationId);
      const conference = await findOwnConference(conferences, applicationId, args.id);
      if (conference === null) throw noConference();
      return eachWhileMember(
        auth,
        await watchConferences(conferences, applicationId, conference.id),
      );
    },
  })
  applicationConference(
    @Root() conference: ApplicationConference,
    @Arg("applicationId", () => ID, { description: "The application." }) _applicationId: string,
    @Arg("id", () => ID, { description: "The conference." }) _id: string,
  ): ApplicationConferenceType {
    return toOwnersConference(conference);
  }
}
