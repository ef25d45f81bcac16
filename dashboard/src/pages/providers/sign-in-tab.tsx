import { Skeleton, Stack, Text } from "@mantine/core";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { JwtSection } from "./jwt-section.tsx";
import { SignInProvidersDocument } from "./sign-in.generated.ts";
import { SIGN_IN_PROVIDERS } from "./sign-in-providers.ts";
import { SignInSection } from "./sign-in-section.tsx";
import { providersStrings } from "./strings.ts";

/** The external services that users of the application sign in through. */
export function SignInTab({ applicationId }: { applicationId: string }) {
  const query = useOperation(SignInProvidersDocument, { id: applicationId });
  const application = query.data?.application;
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        {providersStrings.signIn.text}
      </Text>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !application && (
        <Stack aria-busy>
          <Skeleton height={140} />
          <Skeleton height={140} />
        </Stack>
      )}
      {application &&
        SIGN_IN_PROVIDERS.map((row) => (
          <SignInSection key={row.provider} application={application} row={row} />
        ))}
      {application && <JwtSection application={application} />}
    </Stack>
  );
}
