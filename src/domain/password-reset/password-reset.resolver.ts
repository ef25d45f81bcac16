import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow } from "../access/request-auth";
import { Password } from "../passwords/password";
import { requestPasswordReset, resetPassword } from "./password-reset";
import type { PasswordResetContext } from "./password-reset-deps";

@InputType({ description: "The user who has lost a password." })
export class RequestPasswordResetInput {
  @Field({ description: "E-mail address of the user's profile." })
  email!: string;
}

@InputType({ description: "A new password, set with a mailed link." })
export class ResetPasswordInput {
  @Field({ description: "The one-time token of the mailed link." })
  token!: string;

  @Field({ description: "New password of at least 8 characters." })
  @Password()
  password!: string;
}

@ObjectType({ description: "Result of requestPasswordReset.", simpleResolvers: true })
export class RequestPasswordResetPayload {
  @Field({ description: "Always true, whether or not a user has the e-mail address." })
  requested!: boolean;
}

@ObjectType({ description: "Result of resetPassword.", simpleResolvers: true })
export class ResetPasswordPayload {
  @Field({
    description: "Always true: the password is set and every session of the user has ended.",
  })
  reset!: boolean;
}

@Resolver()
export class PasswordResetResolver {
  @Allow("application")
  @Limited("reset")
  @Mutation(() => RequestPasswordResetPayload, {
    description:
      "Mails the user of an e-mail address a link to set a new password. The result is the same for an unknown address.",
  })
  async requestPasswordReset(
    @Ctx() { passwordReset, auth }: PasswordResetContext,
    @Arg("input", () => RequestPasswordResetInput, { description: "The user's e-mail address." })
    { email }: RequestPasswordResetInput,
  ): Promise<RequestPasswordResetPayload> {
    const { applicationId } = await auth.sessionViewer();
    await requestPasswordReset(passwordReset, applicationId, email);
    return { requested: true };
  }

  @Allow("public")
  @Limited("reset")
  @Mutation(() => ResetPasswordPayload, {
    description:
      "Sets a new password with a mailed link, and ends all sessions and connections of the user.",
  })
  async resetPassword(
    @Ctx() { passwordReset, caller }: PasswordResetContext,
    @Arg("input", () => ResetPasswordInput, { description: "The link's token and the password." })
    { token, password }: ResetPasswordInput,
  ): Promise<ResetPasswordPayload> {
    caller.deferClose?.();
    await resetPassword(passwordReset, token, password, caller.ip);
    return { reset: true };
  }
}
