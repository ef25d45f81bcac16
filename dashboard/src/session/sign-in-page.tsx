import { Alert } from "@mantine/core";
import { Entrance } from "./entrance.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { signInStrings } from "./strings.ts";

/** The page of everybody who has no token. */
export function SignInPage({ signedOut }: { signedOut: boolean }) {
  return (
    <Entrance title={signInStrings.title} lead={signInStrings.lead}>
      {signedOut && (
        <Alert color="gray" role="status">
          {signInStrings.signedOut}
        </Alert>
      )}
      <SignInForm />
    </Entrance>
  );
}
