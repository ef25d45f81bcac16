import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { Allow, type IdentityContext } from "../context";
import { Limited } from "../limits";
import { Password } from "../password";
import { requestReset, resetPassword } from "./password-reset";

@InputType({ description: "Who has lost a password." })
export class RequestPasswordResetInput {
  @Field({ description: "E-mail address of the user's profile." })
  email!: string;
}

@InputType({ description: "A new password, set with a link." })
export class ResetPasswordInput {
  @Field({ description: "The token of the link that was mailed. Works once." })
  token!: string;

  @Field({ description: "New password of at least 8 characters." })
  @Password()
  password!: string;
}

@ObjectType({ description: "What requestPasswordReset answers.", simpleResolvers: true })
export class RequestPasswordResetPayload {
  @Field({ description: "True, whether or not the e-mail is known." })
  requested!: boolean;
}

@ObjectType({ description: "What resetPassword answers.", simpleResolvers: true })
export class ResetPasswordPayload {
  @Field({ description: "True: the password is set and every session of the user has ended." })
  reset!: boolean;
}

@Resolver()
export class PasswordResetResolver {
  @Allow("application")
  @Limited("reset")
  @Mutation(() => RequestPasswordResetPayload, {
    description:
      "Mails a link to set a new password, to the user of an e-mail address. The answer is the same for an address that is nobody's.",
  })
  async requestPasswordReset(
    @Ctx() { identity, visit }: IdentityContext,
    @Arg("input", () => RequestPasswordResetInput, { description: "Whose password." })
    { email }: RequestPasswordResetInput,
  ): Promise<RequestPasswordResetPayload> {
    const { applicationId } = await visit.viewer();
    await requestReset(identity, applicationId, email);
    return { requested: true };
  }

  @Allow("public")
  @Limited("reset")
  @Mutation(() => ResetPasswordPayload, {
    description:
      "Sets a new password with a mailed link, and ends every session and connection of the user.",
  })
  async resetPassword(
    @Ctx() { identity, caller }: IdentityContext,
    @Arg("input", () => ResetPasswordInput, { description: "The link's token and the password." })
    { token, password }: ResetPasswordInput,
  ): Promise<ResetPasswordPayload> {
    caller.answerFirst?.();
    await resetPassword(identity, token, password, caller.ip);
    return { reset: true };
  }
}
