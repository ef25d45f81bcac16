import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { ApplicationUserInput } from "../applications/application.input";
import { Password } from "../passwords/password";
import { CreateUserInput, WritableFields } from "../users/user.type";
import { ApplicationUserType } from "./application-user.type";

@InputType({ description: "A new user of one of the owner's applications." })
export class CreateApplicationUserInput extends CreateUserInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;
}

@InputType({
  description:
    "Changes to a user of one of the owner's applications. Omitted fields stay unchanged; null clears a field.",
})
export class UpdateApplicationUserInput extends WritableFields {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => ID, { description: "The user." })
  userId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "New password of at least 8 characters; null changes nothing. Ends all sessions of the user.",
  })
  @Password()
  password?: string | null;
}

@InputType({ description: "A user of one of the owner's applications to block." })
export class BlockUserInput extends ApplicationUserInput {
  @Field(() => String, {
    nullable: true,
    description: "Why, up to 255 characters; a note for the owner, which no user sees.",
  })
  reason?: string | null;
}

@InputType({ description: "A session of one of the owner's applications." })
export class EndUserSessionInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => ID, { description: "The session." })
  sessionId!: string;
}

@InputType({ description: "A push subscription of a user of one of the owner's applications." })
export class DeleteApplicationPushSubscriptionInput extends ApplicationUserInput {
  @Field(() => ID, { description: "The subscription." })
  pushSubscriptionId!: string;
}

@ObjectType({
  description: "Result of blockUser, unblockUser and updateApplicationUser.",
  simpleResolvers: true,
})
export class ApplicationUserPayload {
  @Field(() => ApplicationUserType, { description: "The user after the change." })
  user!: ApplicationUserType;
}

@ObjectType({ description: "Result of endUserSession.", simpleResolvers: true })
export class EndUserSessionPayload {
  @Field(() => ID, { description: "Id of the ended session." })
  endedSessionId!: number;
}

@ObjectType({ description: "Result of endUserSessions.", simpleResolvers: true })
export class EndUserSessionsPayload {
  @Field(() => Int, { description: "Number of sessions that were ended." })
  endedCount!: number;
}
