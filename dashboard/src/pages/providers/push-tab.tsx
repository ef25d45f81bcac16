import { Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { pushStrings } from "../push/strings.ts";
import { PushCredentialsDocument } from "./providers.generated.ts";
import { PushServiceSection } from "./push-service.tsx";
import { providersStrings } from "./strings.ts";

const texts = providersStrings;
const ENVIRONMENTS = ["PRODUCTION", "DEVELOPMENT"] as const;
const SERVICES = ["APNS", "FCM", "WEB"] as const;

/** The credentials for push services, separately for the apps of users and of developers. */
export function PushTab({ applicationId }: { applicationId: string }) {
  const [filters, setFilters] = useUrlFilters({ environment: "PRODUCTION" });
  const environment = filters.environment === "DEVELOPMENT" ? "DEVELOPMENT" : "PRODUCTION";
  const query = useOperation(PushCredentialsDocument, { id: applicationId, environment });
  const credentials = query.data?.application.pushCredentials;
  return (
    <Stack gap="lg">
      <Group gap="md">
        <SegmentedControl
          aria-label={texts.environment}
          data={ENVIRONMENTS.map((value) => ({ value, label: pushStrings.environments[value] }))}
          value={environment}
          onChange={(value) => setFilters({ environment: value })}
        />
        <Text size="sm" c="dimmed" flex={1} miw={240}>
          {texts.environmentText[environment]}
        </Text>
      </Group>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !credentials && (
        <Stack aria-busy>
          <Skeleton height={180} />
          <Skeleton height={180} />
        </Stack>
      )}
      {credentials &&
        SERVICES.map((service) => (
          <PushServiceSection
            key={`${environment} ${service}`}
            applicationId={applicationId}
            service={service}
            credentials={credentials}
          />
        ))}
    </Stack>
  );
}
