import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { Allow } from "../../access/request-auth";
import type { RequestContext } from "../../access/request-context";
import type { ListLoader } from "../../core/loads/batch-loader";
import { Limited } from "../../limits/rate-limits";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { Member } from "../rows/member-queries";
import { findVisible } from "./access";
import {
  ConferenceInput,
  ConferencePayload,
  CreateConferenceInput,
  UpdateConferenceInput,
} from "./conference.input";
import {
  ConferenceConnection,
  ConferenceMemberType,
  ConferenceParticipationConnection,
  ConferenceType,
  rowToGraphqlMember,
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

/** Context of the resolvers of conferences. */
export interface ConferenceContext extends RequestContext {
  conferences: ConferenceDeps & { memberLoader: ListLoader<Member> };
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
      "The conferences, open or closed, that the signed-in user has been a member of, newest first.",
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

  @Allow("conference")
  @Query(() => ConferenceType, {
    description: "A conference that the caller may join or has been a member of.",
  })
  async conference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("id", () => ID, CONFERENCE) id: string,
  ): Promise<ConferenceType> {
    const { conference } = await findVisible(conferences, await auth.participant(), id);
    return toGraphqlConference(conference);
  }

  @Allow("user")
  @Query(() => ConferenceParticipationConnection, {
    description: "Who is and has been in a conference, with times.",
  })
  async conferenceHistory(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("conferenceId", () => ID, CONFERENCE) id: string,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<ConferenceParticipationConnection> {
    const { conference } = await findVisible(conferences, await auth.user(), id);
    return toConnection(await listHistory(conferences, conference.id, page));
  }

  @Allow("user")
  @Limited("sign-up")
  @Mutation(() => ConferencePayload, {
    description:
      "Creates a conference, which stays open until it is closed. Its creator moderates it. LIMITED beyond 100 open ones of the caller.",
  })
  async createConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => CreateConferenceInput, { description: "The new conference." })
    input: CreateConferenceInput,
  ): Promise<ConferencePayload> {
    const conference = await createConference(conferences, await auth.user(), input);
    return { conference: toGraphqlConference(conference) };
  }

  @Allow("user")
  @Mutation(() => ConferencePayload, { description: "Changes a conference. For moderators." })
  async updateConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => UpdateConferenceInput, { description: "The changes." })
    { conferenceId, ...changes }: UpdateConferenceInput,
  ): Promise<ConferencePayload> {
    const viewer = await auth.user();
    const conference = await updateConference(conferences, viewer, conferenceId, changes);
    return { conference: toGraphqlConference(conference) };
  }

  @Allow("user")
  @Mutation(() => ConferencePayload, {
    description: "Closes a conference; its members are out. For moderators.",
  })
  async closeConference(
    @Ctx() { conferences, auth }: ConferenceContext,
    @Arg("input", () => ConferenceInput, CONFERENCE) { conferenceId }: ConferenceInput,
  ): Promise<ConferencePayload> {
    const conference = await closeConference(conferences, await auth.user(), conferenceId);
    return { conference: toGraphqlConference(conference) };
  }
}

@Resolver(() => ConferenceType)
export class ConferenceFieldsResolver {
  @FieldResolver(() => [ConferenceMemberType], {
    description: "Who is in the conference now, by the time they joined.",
  })
  async members(
    @Root() { id, closedAt }: ConferenceType,
    @Ctx() { conferences }: ConferenceContext,
  ): Promise<ConferenceMemberType[]> {
    if (closedAt !== null) return [];
    return (await conferences.memberLoader.load(id)).map(rowToGraphqlMember);
  }
}
