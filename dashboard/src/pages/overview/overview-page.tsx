import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { Page } from "../../shell/page.tsx";
import { useOptionalApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { applicationStrings } from "../applications/strings.ts";
import { Attention } from "./attention.tsx";
import { Charts } from "./charts.tsx";
import { Now } from "./now.tsx";
import { AccountOverviewDocument, ApplicationOverviewDocument } from "./overview.generated.ts";
import type { Overview, Period } from "./overview-statistics.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings;
const PERIODS: readonly Period[] = ["HOUR", "DAY", "MONTH"];
/** How often the page asks again, in milliseconds. */
const REFRESH_MS = 15_000;

/** Statistics of an application, or of all of the account, and what needs attention. */
export function Component() {
  const applicationId = useOptionalApplicationId();
  const [filters, setFilters] = useUrlFilters({ period: "DAY" });
  const period = PERIODS.find((each) => each === filters.period) ?? "DAY";
  const { overview, name, error, refetch, isOld } = useOverview(applicationId, period);
  return (
    <Page
      key={applicationId}
      title={applicationId === null ? texts.title : (name ?? applicationStrings.kind)}
      lead={applicationId === null ? texts.leadAll : texts.lead}
    >
      <Attention applicationId={applicationId} />
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!error && !overview && <Loading />}
      {overview && (
        <>
          <Now activity={overview.activity} applicationId={applicationId} />
          <Stack gap="md" component="section" aria-busy={isOld}>
            <Group justify="space-between" gap="sm">
              <Title order={2} size="h4">
                {texts.periods[period]}
              </Title>
              <SegmentedControl
                aria-label={texts.period}
                data={PERIODS.map((value) => ({ value, label: texts.periodNames[value] }))}
                value={period}
                onChange={(value) => setFilters({ period: value })}
              />
            </Group>
            <Charts statistics={overview.statistics} applicationId={applicationId} />
            <Text size="xs" c="dimmed">
              {texts.footnote}
            </Text>
          </Stack>
        </>
      )}
    </Page>
  );
}

/** The statistics of the application of the URL, or of the account. */
function useOverview(applicationId: string | null, period: Period) {
  const options = { keepPrevious: true, refreshMs: REFRESH_MS };
  const ofAccount = useOperation(
    AccountOverviewDocument,
    { period },
    { ...options, enabled: applicationId === null },
  );
  const ofApplication = useOperation(
    ApplicationOverviewDocument,
    { id: applicationId ?? "", period },
    { ...options, enabled: applicationId !== null },
  );
  const application = ofApplication.data?.application;
  const query = applicationId === null ? ofAccount : ofApplication;
  // The statistics of another application must not stand below the name of this one.
  const own = application?.id === applicationId ? application : undefined;
  const overview: Overview | undefined = applicationId === null ? ofAccount.data?.account : own;
  return {
    overview: query.error && query.isPlaceholderData ? undefined : overview,
    name: own?.name,
    error: query.error,
    isOld: query.isPlaceholderData,
    refetch: () => void query.refetch(),
  };
}

function Loading() {
  return (
    <Stack gap="lg" aria-busy role="status" aria-label={strings.common.loading}>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {["1", "2", "3", "4"].map((key) => (
          <Skeleton key={key} height={96} />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {["1", "2", "3", "4"].map((key) => (
          <Skeleton key={key} height={260} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
