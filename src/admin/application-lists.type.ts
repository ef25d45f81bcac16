import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, ObjectType } from "type-graphql";
import type { OwnedSession } from "../sessions/application-session-queries";
import { UserType } from "../users/user.type";
import type { OffsetPage } from "./application-lists";

@ObjectType("ApplicationSession", {
  description: "A session as the owner of its application sees it.",
  simpleResolvers: true,
})
export class ApplicationSessionType {
  @Field(() => ID, { description: "Identifier, unique among sessions." })
  id!: number;

  @Field(() => ID, {
    nullable: true,
    description: "The user's id; null for a session without a user.",
  })
  userId!: number | null;

  @Field(() => String, { nullable: true, description: "IP address that created the session." })
  ip!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "User-Agent header of the client that created the session.",
  })
  userAgent!: string | null;

  @Field(() => Date, { description: "When it was last used, to within a few seconds." })
  lastActivityAt!: Date;

  @Field(() => Date, { description: "When it expires unless it is used before." })
  expiresAt!: Date;
}

@ObjectType({ description: "A page of an application's users, ordered by id." })
export class ApplicationUsers {
  page!: OffsetPage<UserType>;

  @Field(() => [UserType], { description: "The users." })
  nodes!: UserType[];

  @Field(() => GraphQLSafeInt, { description: "Number of skipped entries." })
  offset!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Maximum number of entries of the page, as applied.",
  })
  limit!: number;
}

@ObjectType({ description: "A page of an application's sessions, newest first." })
export class ApplicationSessions {
  page!: OffsetPage<OwnedSession>;

  @Field(() => [ApplicationSessionType], { description: "The sessions." })
  nodes!: ApplicationSessionType[];

  @Field(() => GraphQLSafeInt, { description: "Number of skipped entries." })
  offset!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Maximum number of entries of the page, as applied.",
  })
  limit!: number;
}
