import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { ListLoader } from "../../../core/loads/batch-loader";
import { Limited } from "../../../platform/limits/rate-limits";
import { Allow } from "../../access/request-auth";
import type { RequestContext } from "../../access/request-context";
import { VisibleTo } from "../../access/visible-to";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { Participant } from "../rows/participant-queries";
import { findVisible, type ListingLoads, seesParticipants } from "./access";
import {
  ConferenceInput,
  ConferencePayload,
  CreateConferenceInput,
  UpdateConferenceInput,
} from "./conference.input";
import {
  applicationOfConference,
  ConferenceConnection,
  ConferenceParticipantType,
  ConferenceType,
  rowToGraphqlParticipant,
  toGraphqlConference,
} from "./conference.type";
import type { ConferenceDeps } from "./conference-deps";
import {
  closeConference,
  createConference,
  listConferences,
  listHistory,
  updateConference,
} from "./conferences";
import { ConferenceParticipationConnection } from "./participation.type";

/** Context of the resolvers of conferences. */
export interface ConferenceContext extends RequestContext {
  conferences: ConferenceDeps &
    ListingLoads & {
      participantLoader: ListLoader<Participant>;
      /** Name of the media server; null with CONFERENCES=off. */
      engineName: string | null;
    };
}

const CONFERENCE = { description: "The conference." } as const;

@Resolver()
export class ConferenceResolver {
  @Allow("user")
  @Query(() => ConferenceConnection, {
    description: "The open conferences that the signed-in user may join, newest first.",
  })
  async conferences(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ConferenceConnection> {
    const { nodes, ...neighbours } = await listConferences(
      conferences,
      await auth.user(),
      false,
      page,
    );
    return toConnection({ ...neighbours, nodes: nodes.map(toGraphqlConference) });
  }

  @Allow("user")
  @Query(() => ConferenceConnection, {
    description:
      "The conferences, open or closed, that the signed-in user has been a participant of, newest first.",
  })
  async joinedConferences(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ConferenceConnection> {
    const { nodes, ...neighbours } = await listConferences(
      conferences,
      await auth.user(),
      true,
      page,
    );
    return toConnection({ ...neighbours, nodes: nodes.map(toGraphqlConference) });
  }

  @Allow("conference", "support")
  @Query(() => ConferenceType, {
    description:
      "A conference that the caller may join or has been a participant of; for members of an account, a conference of one of its applications.",
  })
  async conference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("id", () => ID, CONFERENCE) id: string,
  ): Promise<ConferenceType> {
    const { conference } = await findVisible(conferences, await auth.viewer(), id);
    return toGraphqlConference(conference);
  }

  @Allow("user", "support")
  @Query(() => ConferenceParticipationConnection, {
    description:
      "Who is and has been in a conference, with times. Former participants who may no longer join see their own times; members of the application's account see all.",
  })
  async conferenceHistory(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("conferenceId", () => ID, CONFERENCE) id: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ConferenceParticipationConnection> {
    return toConnection(await listHistory(conferences, await auth.viewer(), id, page));
  }

  @Allow("user")
  @Limited("sign-up")
  @Mutation(() => ConferencePayload, {
    description:
      "Creates a conference, which its creator moderates. It closes by itself when it has been empty for emptyAfterSeconds. LIMITED beyond 100 open ones of the caller.",
  })
  async createConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => CreateConferenceInput, { description: "The new conference." })
    input: CreateConferenceInput,
  ): Promise<ConferencePayload> {
    const conference = await createConference(conferences, await auth.user(), input);
    return { conference: toGraphqlConference(conference) };
  }

  @Allow("user", "developer")
  @Mutation(() => ConferencePayload, {
    description:
      "Changes a conference. For moderators, and for developers and owners of the application's account.",
  })
  async updateConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => UpdateConferenceInput, { description: "The changes." })
    { conferenceId, ...changes }: UpdateConferenceInput,
  ): Promise<ConferencePayload> {
    const viewer = await auth.viewer();
    const conference = await updateConference(conferences, viewer, conferenceId, changes);
    return { conference: toGraphqlConference(conference) };
  }

  @Allow("user", "developer")
  @Mutation(() => ConferencePayload, {
    description:
      "Closes a conference; its participants are out. For moderators, and for developers and owners of the application's account.",
  })
  async closeConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => ConferenceInput, CONFERENCE) { conferenceId }: ConferenceInput,
  ): Promise<ConferencePayload> {
    const conference = await closeConference(conferences, await auth.viewer(), conferenceId);
    return { conference: toGraphqlConference(conference) };
  }
}

@Resolver(() => ConferenceType)
export class ConferenceFieldsResolver {
  @FieldResolver(() => [ConferenceParticipantType], {
    description:
      "Who is in the conference now, by the time they joined. Empty for former participants who may no longer join.",
  })
  async participants(
    @Root() { id, closedAt, source }: ConferenceType,
    @Ctx() { conferences, auth }: ConferenceContext,
  ): Promise<ConferenceParticipantType[]> {
    if (closedAt !== null) return [];
    if (!(await seesParticipants(conferences, await auth.viewer(), source))) return [];
    const participants = await conferences.participantLoader.load(id);
    return participants.map((participant) =>
      rowToGraphqlParticipant(participant, source.applicationId),
    );
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The media server, `embedded` or `janus`. Null while no node hosts the conference, and for everybody but members of the application's account.",
  })
  @VisibleTo("support", applicationOfConference)
  engine(
    @Root() { hostNodeId }: ConferenceType,
    @Ctx() { conferences }: ConferenceContext,
  ): string | null {
    return hostNodeId === null ? null : conferences.engineName;
  }
}
