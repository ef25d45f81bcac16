import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import type { ConferenceAccess } from "../model/conference";
import { ApplicationConferenceInput } from "../rooms/conference.input";
import { ConferenceAccessName } from "../rooms/conference.type";
import { ApplicationConferenceType } from "./application-conference.type";

@InputType({
  description:
    "Changes to a conference of one of the account's applications. Omitted fields stay unchanged.",
})
export class UpdateApplicationConferenceInput extends ApplicationConferenceInput {
  @Field(() => String, { nullable: true, description: "New name." })
  name?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Maximum number of members: 2 to 12. Members beyond it stay.",
  })
  seats?: number | null;

  @Field(() => ConferenceAccessName as object, {
    nullable: true,
    description: "Who may join. With LISTED, users who are in and not listed are removed at once.",
  })
  access?: ConferenceAccess | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether it is locked: then only members who come back and moderators get in.",
  })
  locked?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Maximum bitrate of the video of members who publish from now on, in bits per second.",
  })
  bitrate?: number | null;
}

@InputType({
  description: "A member of a conference to mute or unmute. Omitted kinds stay unchanged.",
})
export class MuteApplicationConferenceMemberInput extends ApplicationConferenceInput {
  @Field(() => ID, { description: "The member." })
  memberId!: string;

  @Field(() => Boolean, { nullable: true, description: "Whether its audio is muted." })
  audio?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether its video is muted." })
  video?: boolean | null;
}

@InputType({ description: "A member of a conference to remove." })
export class RemoveApplicationConferenceMemberInput extends ApplicationConferenceInput {
  @Field(() => ID, { description: "The member." })
  memberId!: string;
}

@ObjectType({
  description: "Result of an owner's operation on a conference.",
  simpleResolvers: true,
})
export class ApplicationConferencePayload {
  @Field(() => ApplicationConferenceType, { description: "The conference." })
  conference!: ApplicationConferenceType;
}
