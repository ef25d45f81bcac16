import { Field, ObjectType } from "type-graphql";

@ObjectType("IceServer", {
  description: "STUN and TURN servers, in the form of RTCIceServer.",
  simpleResolvers: true,
})
export class IceServerType {
  @Field(() => [String], { description: "URLs of the servers, in order of preference." })
  urls!: string[];

  @Field(() => String, {
    nullable: true,
    description: "Username for the TURN servers; null if there are only STUN servers.",
  })
  username!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Password for the TURN servers; null if there are only STUN servers.",
  })
  credential!: string | null;

  @Field(() => Date, {
    nullable: true,
    description:
      "When the credentials expire for new calls; calls in progress continue. Null without credentials.",
  })
  expiresAt!: Date | null;
}
