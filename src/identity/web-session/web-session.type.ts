import { GraphQLSafeInt } from "graphql-scalars";
import { Field, InputType, ObjectType } from "type-graphql";
import { SessionType } from "../session/session.type";

@InputType({
  description: `A signed request for a web session, signed as CreateSessionInput is; the REST name and text of
\`long\` are "long=1" when it is true and "long=0" when it is false.`,
})
export class CreateWebSessionInput {
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

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the session ends 30 days from now, used or not; otherwise 2 hours after its last use.",
  })
  long?: boolean | null;
}

@ObjectType({ description: "What createWebSession answers.", simpleResolvers: true })
export class CreateWebSessionPayload {
  @Field(() => SessionType, {
    description: "The new session with its token; its user is yet to come.",
  })
  session!: SessionType;

  @Field({
    description:
      "An SVG document to show: a QR code of the text that bindWebSession takes, once. It is not the token.",
  })
  qrCode!: string;
}

@InputType({ description: "Which web session becomes the caller's." })
export class BindWebSessionInput {
  @Field({ description: "The text of the QR code; or the session's token." })
  webToken!: string;
}

@ObjectType({ description: "What bindWebSession answers.", simpleResolvers: true })
export class BindWebSessionPayload {
  @Field({ description: "True: the web session is the caller's from now on." })
  bound!: boolean;
}
