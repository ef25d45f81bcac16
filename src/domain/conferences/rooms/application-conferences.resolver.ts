import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Resolver,
  Root,
  Subscription,
} from "type-graphql";
import { eachWhileMember } from "../../access/member-stream";
import { Allow } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import { namedApplication } from "../../applications/named-application";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { Conference } from "../model/conference";
import { findVisible, noConference } from "./access";
import { BY_NAME, listConferencesOfApplication } from "./application-conferences";
import type { ConferenceContext } from "./conference.resolver";
import { ConferenceConnection, ConferenceType, toGraphqlConference } from "./conference.type";
import { type ConferenceWatchDeps, watchConferences } from "./watch-conferences";

/** Context of the operations on the conferences of an application. */
interface ApplicationConferenceContext extends ConferenceContext {
  conferences: ConferenceContext["conferences"] & ConferenceWatchDeps;
}

@ArgsType()
class ApplicationConferenceArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    description: "Only open conferences if true, only closed ones if false; all when omitted.",
  })
  open?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Only conferences whose names begin with this text, in upper or lower case: by name, then by age.",
  })
  name?: string | null;
}

@Resolver(() => ApplicationType)
export class ApplicationConferencesResolver {
  @FieldResolver(() => ConferenceConnection, {
    description: "Conferences of the application: newest first, or by name if name is given.",
  })
  async conferences(
    @Root() { id }: ApplicationType,
    @Ctx() { conferences }: ApplicationConferenceContext,
    @Args(() => ApplicationConferenceArgs) request: ApplicationConferenceArgs,
  ): Promise<ConferenceConnection> {
    const { nodes, ...neighbours } = await listConferencesOfApplication(conferences, id, request);
    const page = { ...neighbours, nodes: nodes.map(toGraphqlConference) };
    return typeof request.name === "string"
      ? toConnection(page, BY_NAME.cursorOf)
      : toConnection(page);
  }
}

@Resolver()
export class ConferenceChangesResolver {
  @Allow("support")
  @Subscription(() => ConferenceType, {
    description:
      "Conferences of one of the account's applications: first those with participants, up to 1,000, then each whenever its settings, its participants or what they send and mute changes, and when it is closed. With conferenceId, only that conference: first as it is. A slow subscriber gets the last state of each.",
    subscribe: async ({
      context: { auth, conferences },
      args,
    }: {
      context: ApplicationConferenceContext;
      args: { applicationId: string; conferenceId?: string | null };
    }) => {
      const viewer = await auth.memberViewer();
      const id = await namedApplication(viewer, args.applicationId);
      const only =
        typeof args.conferenceId === "string"
          ? (await findVisible(conferences, viewer, args.conferenceId)).conference
          : null;
      if (only && only.applicationId !== id) throw noConference();
      return eachWhileMember(auth, await watchConferences(conferences, id, only?.id ?? null));
    },
  })
  conferenceChanges(
    @Root() conference: Conference,
    @Arg("applicationId", () => ID, { description: "The application." }) _applicationId: string,
    @Arg("conferenceId", () => ID, {
      nullable: true,
      description: "Only this conference of the application; all when omitted.",
    })
    _conferenceId?: string,
  ): ConferenceType {
    return toGraphqlConference(conference);
  }
}
