import { Field, ID, ObjectType } from "type-graphql";
import { PageInfo } from "../paging/page.type";
import type { Total } from "./application-lists";
import { ListedApplicationUser } from "./application-user.type";

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

@ObjectType({ description: "A user and its position in a list.", simpleResolvers: true })
export class ApplicationUserEdge {
  @Field({ description: "Cursor of the user." })
  cursor!: string;

  @Field(() => ListedApplicationUser, { description: "The user." })
  node!: ListedApplicationUser;
}

@ObjectType({ description: "A session and its position in a list.", simpleResolvers: true })
export class ApplicationSessionEdge {
  @Field({ description: "Cursor of the session." })
  cursor!: string;

  @Field(() => ApplicationSessionType, { description: "The session." })
  node!: ApplicationSessionType;
}

@ObjectType({
  description: "A page of an application's users, in the requested order; by id by default.",
})
export class ApplicationUserConnection {
  total!: () => Promise<Total>;

  @Field(() => [ListedApplicationUser], { description: "The users." })
  nodes!: ListedApplicationUser[];

  @Field(() => [ApplicationUserEdge], { description: "The users with their cursors." })
  edges!: ApplicationUserEdge[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}

@ObjectType({ description: "A page of the sessions of an application or a user, newest first." })
export class ApplicationSessionConnection {
  total!: () => Promise<Total>;

  @Field(() => [ApplicationSessionType], { description: "The sessions." })
  nodes!: ApplicationSessionType[];

  @Field(() => [ApplicationSessionEdge], { description: "The sessions with their cursors." })
  edges!: ApplicationSessionEdge[];

  @Field(() => PageInfo, { description: "Cursors and neighbours of the page." })
  pageInfo!: PageInfo;
}
