import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Legacy } from "../access/legacy";
import { AuditedAs } from "../audit/entries/audited";
import { Password } from "../passwords/password";
import { ProviderInput } from "../sign-in/provider.input";
import { UserType } from "../users/user.type";
import type { Session } from "./session";

@ObjectType("Session", {
  description: "A session, which its token authenticates.",
  simpleResolvers: true,
})
export class SessionType {
  @Field(() => ID, { description: "Identifier, unique among sessions." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field(() => ID, { description: "The application that the session belongs to." })
  applicationId!: number;

  @Field(() => GraphQLSafeInt, { description: "Id of the application, as a number." })
  applicationDatabaseId!: number;

  @Field(() => ID, { nullable: true, description: "The user; null for a session without one." })
  userId!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      "Id of the user, as a number; null for an application session, 0 for a web session that is not bound to a user yet.",
  })
  userDatabaseId!: number | null;

  @Field(() => GraphQLSafeInt, {
    description: "The nonce of the request that created the session.",
  })
  nonce!: number;

  @Field({ description: "The opaque token to send with every request." })
  token!: string;

  @Field(() => GraphQLSafeInt, {
    description: "The Unix timestamp of the request that created the session.",
  })
  ts!: number;

  @Field(() => Date, { description: "When the session was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When a user was last signed in, signed out or bound." })
  updatedAt!: Date;

  @Field(() => Date, {
    description: "When the session expires. Each use of a default session moves this time forward.",
  })
  expiresAt!: Date;

  @Legacy()
  @Field(() => GraphQLSafeInt, { nullable: true, description: "Always null." })
  deviceId!: number | null;

  @Field(() => UserType, { nullable: true, description: "The user of a user session." })
  user!: UserType | null;
}

/** The GraphQL form of a session, with the caller's token. */
export function toGraphqlSession(session: Session, token: string): SessionType {
  return {
    id: session.id,
    databaseId: session.id,
    applicationId: session.applicationId,
    applicationDatabaseId: session.applicationId,
    userId: session.userId,
    userDatabaseId: session.userId ?? (session.web ? 0 : null),
    nonce: session.nonce,
    token,
    ts: session.ts,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    expiresAt: session.expiresAt,
    deviceId: null,
    user: session.user,
  };
}

@InputType({ description: "Credentials of the user who signs in as the session is created." })
export class CredentialsInput {
  @Field(() => String, {
    nullable: true,
    description: "The login. Either login or email is required.",
  })
  login?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The e-mail. Either login or email is required.",
  })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "The password." })
  @Password()
  password?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether to create a guest: a temporary user, which is deleted after a day.",
  })
  guest?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Full name of the guest.",
  })
  fullName?: string | null;
}

@InputType({
  description: `A signed request for a session. The signature is the HMAC-SHA1, in hexadecimal and keyed with the
application's secret, of "application_id=…&auth_key=…&nonce=…&timestamp=…", or of all parameters of the request, by
their REST names ("user[login]=…") in alphabetical order.`,
})
export class CreateSessionInput extends ProviderInput {
  @Field(() => GraphQLSafeInt, { description: "The application's id." })
  applicationId!: number;

  @Field({ description: "The application's authentication key." })
  authKey!: string;

  @Field(() => GraphQLSafeInt, {
    description: "Unix time in seconds, within 60 minutes of the server's.",
  })
  timestamp!: number;

  @Field(() => GraphQLSafeInt, {
    description: "A number that the client has not used with this timestamp before.",
  })
  nonce!: number;

  @Field({ description: "The signature, 40 hexadecimal characters." })
  signature!: string;

  @Field(() => CredentialsInput, {
    nullable: true,
    description: "The user's credentials. Without them the result is an application session.",
  })
  user?: CredentialsInput | null;
}

@InputType({
  description:
    "Credentials of a user: login or e-mail with the password, or a token of a sign-in provider.",
})
export class LoginInput extends ProviderInput {
  @Field(() => String, {
    nullable: true,
    description: "The login. Either login or email is required.",
  })
  login?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The e-mail. Either login or email is required.",
  })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "The password." })
  @Password()
  password?: string | null;
}

@ObjectType({ description: "Result of createSession.", simpleResolvers: true })
export class CreateSessionPayload {
  @Field(() => SessionType, { description: "The new session with its token." })
  session!: SessionType;
}

@InputType({
  description:
    "The user of a new session. With an API key exactly one of userId, login and externalId; otherwise a JWT, whose subject names the user.",
})
export class CreateSessionForUserInput {
  @Field(() => ID, { nullable: true, description: "The user's id." })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: "The user's login." })
  login?: string | null;

  @Field(() => String, { nullable: true, description: "The user's external id." })
  externalId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "A JWT that the backend has signed as the application's settings say: aud is the application's id, sub the user, exp at most five minutes ahead, and jti an id that is accepted once.",
  })
  jwt?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Full name of a user whom this session creates; otherwise it changes nothing.",
  })
  fullName?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Tags of a user whom this session creates, up to five.",
  })
  tags?: string[] | null;
}

@ObjectType({ description: "Result of createSessionForUser.", simpleResolvers: true })
export class CreateSessionForUserPayload {
  @Field(() => SessionType, { description: "The new session with its token." })
  session!: SessionType;

  @Field(() => UserType, { description: "The user." })
  user!: UserType;
}

@InputType({ description: "A session to end." })
export class DestroySessionInput {
  @AuditedAs("sessionId")
  @Field(() => ID, { description: "The session." })
  id!: string;
}

@ObjectType({ description: "Result of destroySession.", simpleResolvers: true })
export class DestroySessionPayload {
  @Field({ description: "Always true: the token of the session is no longer valid." })
  destroyed!: boolean;

  @Field(() => ID, {
    nullable: true,
    description: "The user whose session it was; null for a session without a user.",
  })
  userId!: number | null;
}

@ObjectType({ description: "Result of login.", simpleResolvers: true })
export class LoginPayload {
  @Field(() => UserType, { description: "The user who signed in." })
  user!: UserType;

  @Field(() => SessionType, { description: "The session, which is now a user session." })
  session!: SessionType;
}

@ObjectType({ description: "Result of logout.", simpleResolvers: true })
export class LogoutPayload {
  @Field(() => SessionType, { description: "The session, which is now an application session." })
  session!: SessionType;
}
