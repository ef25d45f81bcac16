import { GraphQLJSONObject } from "graphql-scalars";
import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { Allow, KeyScope } from "../access/request-auth";
import { ApplicationUserInput } from "../applications/application.input";
import { namedApplication } from "../applications/named-application";
import type { UserContext } from "./user-deps";
import { exportUser } from "./user-export";

@ObjectType({ description: "Result of exportUser.", simpleResolvers: true })
export class ExportUserPayload {
  @Field(() => GraphQLJSONObject, {
    description:
      "Stored rows of the user by list: user (on the first page), tags, identities, sessions, passwordResets, subscriptions, events, deliveries, calls, incomingCallPushes, conferences, conferenceParticipations, conferenceListings, conferenceLinks. A page has about a megabyte; a list that it does not finish continues on the next page.",
  })
  export!: object;

  @Field(() => String, {
    nullable: true,
    description: "Cursor of the next page; null on the last one.",
  })
  endCursor!: string | null;
}

@Resolver()
export class UserExportResolver {
  @Allow("developer")
  @KeyScope("users")
  @Mutation(() => ExportUserPayload, {
    description:
      "Exports everything stored about a user, for a data access request, page by page: pass `after` until `endCursor` is null. Each page is an entry of the audit log.",
  })
  async exportUser(
    @Ctx() { users, auth }: UserContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
    @Arg("after", () => String, {
      nullable: true,
      description: "Cursor of the page before: its endCursor. Without it, the first page.",
    })
    after: string | null,
  ): Promise<ExportUserPayload> {
    const id = await namedApplication(await auth.memberViewer(), applicationId);
    return exportUser(users, id, userId, after);
  }
}
