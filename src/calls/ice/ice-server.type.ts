import { Field, ObjectType } from "type-graphql";

@ObjectType("IceServer", {
  description: "STUN and TURN servers, in the form that RTCPeerConnection takes.",
  simpleResolvers: true,
})
export class IceServerType {
  @Field(() => [String], { description: "URLs of the servers, the preferred first." })
  urls!: string[];

  @Field(() => String, {
    nullable: true,
    description: "Username for the TURN servers; null where there are STUN servers alone.",
  })
  username!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Password for the TURN servers; null where there are STUN servers alone.",
  })
  credential!: string | null;

  @Field(() => Date, {
    nullable: true,
    description:
      "Until when the credentials begin a call; one that is under way goes on. Null where there are none.",
  })
  expiresAt!: Date | null;
}
