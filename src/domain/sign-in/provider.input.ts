import { Field, InputType, registerEnumType } from "type-graphql";
import type { SignInProvider } from "./provider-sign-in";

/** GraphQL names of the providers. */
export const SignInProviderName: Record<string, SignInProvider> = {
  FACEBOOK: "facebook",
  TWITTER: "twitter",
  FIREBASE_PHONE: "firebase_phone",
};
registerEnumType(SignInProviderName, {
  name: "SignInProvider",
  description: "An external service that authenticates a user.",
  valuesConfig: {
    FACEBOOK: { description: "Facebook, by an access token." },
    TWITTER: { description: "Twitter, by an access token and its secret." },
    FIREBASE_PHONE: { description: "Firebase, by the ID token of a sign-in with a phone number." },
  },
});

@InputType({ description: "An access token of Facebook or Twitter." })
export class ProviderKeysInput {
  @Field(() => String, { nullable: true, description: "The access token." })
  token?: string | null;

  @Field(() => String, { nullable: true, description: "The token's secret; Twitter only." })
  secret?: string | null;
}

@InputType({ description: "A sign-in with a phone number through Firebase." })
export class FirebasePhoneInput {
  @Field(() => String, { nullable: true, description: "The Firebase project." })
  projectId?: string | null;

  @Field(() => String, { nullable: true, description: "The Firebase ID token." })
  accessToken?: string | null;
}

/** The fields of every input that accepts a sign-in through a provider. */
@InputType()
export abstract class ProviderInput {
  @Field(() => SignInProviderName as object, {
    nullable: true,
    description: "The sign-in provider, in place of login, e-mail and password.",
  })
  provider?: SignInProvider | null;

  @Field(() => ProviderKeysInput, {
    nullable: true,
    description: "For Facebook and Twitter: the access token.",
  })
  keys?: ProviderKeysInput | null;

  @Field(() => FirebasePhoneInput, {
    nullable: true,
    description: "For Firebase: the ID token.",
  })
  firebasePhone?: FirebasePhoneInput | null;
}
