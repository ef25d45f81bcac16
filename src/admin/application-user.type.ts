import { Field, ObjectType } from "type-graphql";
import { UserType } from "../users/user.type";

/** What the owner of the application sees of a user. */
@ObjectType({ simpleResolvers: true })
abstract class ApplicationUserFields extends UserType {
  @Field(() => Date, {
    nullable: true,
    description: "Since when the user is blocked; null while the user may sign in.",
  })
  blockedAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Why the user is blocked, as the owner noted it. No user sees it.",
  })
  blockReason!: string | null;
}

@ObjectType("ApplicationUser", {
  description: "A user as the owner of its application sees it.",
})
export class ApplicationUserType extends ApplicationUserFields {}

@ObjectType({
  description:
    "A user in a list of its application. Application.user has its sessions and devices as well.",
  simpleResolvers: true,
})
export class ListedApplicationUser extends ApplicationUserFields {}
