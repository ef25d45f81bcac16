import { GraphQLSafeInt } from "graphql-scalars";
import { Field, InputType, ObjectType } from "type-graphql";
import { SessionType } from "../sessions/session.type";

@InputType({
  description: `A signed request for a web session, signed like CreateSessionInput. In the signed text, \`long\` is
"long=1" when it is true and "long=0" when it is false.`,
})
export class CreateWebSessionInput {
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

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the session expires 30 days from now, used or not; otherwise 2 hours after its last use.",
  })
  long?: boolean | null;
}

@ObjectType({ description: "Result of createWebSession.", simpleResolvers: true })
export class CreateWebSessionPayload {
  @Field(() => SessionType, {
    description: "The new session with its token; it has no user yet.",
  })
  session!: SessionType;

  @Field({
    description:
      "A QR code as an SVG document. It encodes the one-time binding code for bindWebSession, not the token.",
  })
  qrCode!: string;
}

@InputType({ description: "The web session to bind to the signed-in user." })
export class BindWebSessionInput {
  @Field({ description: "The binding code from the QR code, or the web session's token." })
  codeOrToken!: string;
}

@ObjectType({ description: "Result of bindWebSession.", simpleResolvers: true })
export class BindWebSessionPayload {
  @Field({ description: "Always true: the web session now belongs to the signed-in user." })
  bound!: boolean;
}
