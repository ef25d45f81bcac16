import { Field, ID, InputType } from "type-graphql";
import { CreateUserInput } from "../users/user.type";

@InputType({ description: "A new user of one of the owner's applications." })
export class CreateApplicationUserInput extends CreateUserInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;
}
