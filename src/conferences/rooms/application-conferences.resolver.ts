import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Mutation,
  Resolver,
  Root,
} from "type-graphql";
import { Allow } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import type { ApplicationDeps } from "../../applications/application-deps";
import { findOwnedApplication } from "../../applications/owned-applications";
import { PageArgs, toConnection } from "../../paging/page.type";
import { ApplicationConferenceInput, ConferencePayload } from "./conference.input";
import type { ConferenceContext } from "./conference.resolver";
import { ConferenceConnection, toGraphqlConference } from "./conference.type";
import { closeApplicationConference, listConferencesOf } from "./conferences";

/** Context of the owners' operations on conferences. */
type OwnerContext = ConferenceContext & { admin: ApplicationDeps };

@ArgsType()
class ApplicationConferenceArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    description: "Only open conferences if true, only closed ones if false; all when omitted.",
  })
  open?: boolean | null;
}

@Resolver(() => ApplicationType)
export class ApplicationConferencesResolver {
  @FieldResolver(() => ConferenceConnection, {
    description: "Conferences of the application, newest first.",
  })
  async conferences(
    @Root() { id }: ApplicationType,
    @Ctx() { conferences }: ConferenceContext,
    @Args(() => ApplicationConferenceArgs) { open = null, ...page }: ApplicationConferenceArgs,
  ): Promise<ConferenceConnection> {
    const { nodes, ...neighbours } = await listConferencesOf(conferences, id, open, page);
    return toConnection({ ...neighbours, nodes: nodes.map(toGraphqlConference) });
  }

  @Allow("account")
  @Mutation(() => ConferencePayload, {
    description: "Closes a conference of one of the owner's applications; its members are out.",
  })
  async closeApplicationConference(
    @Ctx() { conferences, admin, auth }: OwnerContext,
    @Arg("input", () => ApplicationConferenceInput, { description: "The conference." })
    { applicationId, conferenceId }: ApplicationConferenceInput,
  ): Promise<ConferencePayload> {
    const { accountId } = await auth.account();
    const { id } = await findOwnedApplication(admin, accountId, applicationId);
    const conference = await closeApplicationConference(conferences, id, conferenceId);
    return { conference: toGraphqlConference(conference) };
  }
}
