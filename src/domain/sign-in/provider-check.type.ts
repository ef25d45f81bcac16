import { Field, ID, InputType, ObjectType, registerEnumType } from "type-graphql";
import type { ProviderCheck } from "./check-provider";
import { SignInProviderName } from "./provider.input";
import type { SignInProvider } from "./provider-sign-in";

const ProviderCheckOutcome = {
  ACCEPTED: "accepted",
  REFUSED: "refused",
  UNREACHABLE: "unreachable",
  NOT_SET: "not_set",
} as const satisfies Record<string, ProviderCheck["outcome"]>;
registerEnumType(ProviderCheckOutcome, {
  name: "ProviderCheckOutcome",
  description: "Result of checking the settings of a sign-in provider.",
  valuesConfig: {
    ACCEPTED: { description: "The provider accepts them." },
    REFUSED: { description: "The provider refuses them." },
    UNREACHABLE: { description: "The provider gave no verdict." },
    NOT_SET: { description: "They are not set, or not completely." },
  },
});

@InputType({ description: "A sign-in provider to check." })
export class CheckProviderInput {
  @Field(() => ID, { description: "The application." })
  applicationId!: string;

  @Field(() => SignInProviderName as object, { description: "The provider." })
  provider!: SignInProvider;
}

@ObjectType({
  description: "Result of checking an application's settings of a sign-in provider.",
  simpleResolvers: true,
})
export class CheckProviderPayload {
  @Field(() => SignInProviderName as object, { description: "The provider." })
  provider!: SignInProvider;

  @Field(() => ProviderCheckOutcome, { description: "The result." })
  outcome!: ProviderCheck["outcome"];

  @Field(() => String, { nullable: true, description: "Technical reason; null without one." })
  reason!: string | null;

  @Field({ description: "The result as a sentence." })
  message!: string;
}
