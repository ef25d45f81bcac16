import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Password } from "../password";
import { ProviderInput } from "../provider/provider.input";
import { UserType } from "../user/user.type";
import type { Session } from "./session";

@ObjectType("Session", {
  description: "A session: what a token stands for.",
  simpleResolvers: true,
})
export class SessionType {
  @Field(() => ID, { description: "Identifier, unique among sessions." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field(() => GraphQLSafeInt, { description: "The application that the session belongs to." })
  applicationId!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      "The user's id; null for an application session, 0 for a web session that no user has been bound to yet.",
  })
  userId!: number | null;

  @Field(() => GraphQLSafeInt, { description: "The nonce sent when the session was created." })
  nonce!: number;

  @Field({ description: "The token to send with every call. Opaque." })
  token!: string;

  @Field(() => GraphQLSafeInt, {
    description: "The Unix timestamp sent when the session was created.",
  })
  ts!: number;

  @Field(() => Date, { description: "When the session was created." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the session last changed hands." })
  updatedAt!: Date;

  @Field(() => Date, {
    description:
      "When the session ends unless it is used before, which moves the end of a default session.",
  })
  expiresAt!: Date;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Always null.",
    deprecationReason: "Kept for REST-compatible clients, which expect the key.",
  })
  deviceId!: number | null;

  @Field(() => UserType, { nullable: true, description: "The user, of a user session." })
  user!: UserType | null;
}

/** A session in the form that GraphQL shows, with the token that the caller holds. */
export function showSession(session: Session, token: string): SessionType {
  return {
    id: session.id,
    databaseId: session.id,
    applicationId: session.applicationId,
    userId: session.userId ?? (session.web ? 0 : null),
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

@InputType({ description: "Who signs in while the session is created." })
export class CredentialsInput {
  @Field(() => String, { nullable: true, description: "Login; or the e-mail." })
  login?: string | null;

  @Field(() => String, { nullable: true, description: "E-mail; or the login." })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "The password." })
  @Password()
  password?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "A session of a temporary user, deleted a day later.",
  })
  guest?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Name of the temporary user.",
  })
  fullName?: string | null;
}

@InputType({
  description: `A signed request for a session. The signature is the HMAC-SHA1, in hexadecimal and keyed with the
application's secret, of "application_id=…&auth_key=…&nonce=…&timestamp=…", or of all parameters sent, by
their REST names ("user[login]=…") in alphabetical order.`,
})
export class CreateSessionInput extends ProviderInput {
  @Field(() => GraphQLSafeInt, { description: "The application." })
  applicationId!: number;

  @Field({ description: "The application's key." })
  authKey!: string;

  @Field(() => GraphQLSafeInt, {
    description: "Unix time in seconds, within 60 minutes of the server's.",
  })
  timestamp!: number;

  @Field(() => GraphQLSafeInt, {
    description: "A number that was not sent with this timestamp before.",
  })
  nonce!: number;

  @Field({ description: "The signature, 40 hexadecimal characters." })
  signature!: string;

  @Field(() => CredentialsInput, {
    nullable: true,
    description: "Who signs in; an application session without.",
  })
  user?: CredentialsInput | null;
}

@InputType({
  description:
    "Who signs in: login or e-mail with the password, or somebody a provider vouches for.",
})
export class LoginInput extends ProviderInput {
  @Field(() => String, { nullable: true, description: "Login; or the e-mail." })
  login?: string | null;

  @Field(() => String, { nullable: true, description: "E-mail; or the login." })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "The password." })
  @Password()
  password?: string | null;
}

@ObjectType({ description: "What createSession answers.", simpleResolvers: true })
export class CreateSessionPayload {
  @Field(() => SessionType, { description: "The new session with its token." })
  session!: SessionType;
}

@ObjectType({ description: "What destroySession answers.", simpleResolvers: true })
export class DestroySessionPayload {
  @Field({ description: "True: the token is worthless from now on." })
  destroyed!: boolean;
}

@ObjectType({ description: "What login answers.", simpleResolvers: true })
export class LoginPayload {
  @Field(() => UserType, { description: "The user who signed in." })
  user!: UserType;

  @Field(() => SessionType, { description: "The session, which is the user's now." })
  session!: SessionType;
}

@ObjectType({ description: "What logout answers.", simpleResolvers: true })
export class LogoutPayload {
  @Field(() => SessionType, { description: "The session, which is the application's alone now." })
  session!: SessionType;
}
