import { Alert } from "@mantine/core";
import { strings } from "../strings.ts";
import { Entrance } from "./entrance.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** The page of everybody who has no token. */
export function SignInPage({ signedOut }: { signedOut: boolean }) {
  return (
    <Entrance title={strings.signIn.title} lead={strings.signIn.lead}>
      {signedOut && (
        <Alert color="gray" role="status">
          {strings.signIn.signedOut}
        </Alert>
      )}
      <SignInForm />
    </Entrance>
  );
}
