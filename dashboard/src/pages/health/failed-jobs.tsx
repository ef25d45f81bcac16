import { Anchor, Button, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link } from "react-router";
import { useChange, useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { formatDateTime, formatRelative } from "../../formats.ts";
import { useAccount, useRole } from "../../session/use-account.ts";
import { applicationStrings } from "../applications/strings.ts";
import {
  FailedJobsDocument,
  type FailedJobsQuery,
  HealthDocument,
  RetryJobDocument,
} from "./health.generated.ts";
import { jobLabel } from "./job-labels.ts";
import { healthStrings } from "./strings.ts";

const texts = healthStrings;
type Row = FailedJobsQuery["failedJobs"]["nodes"][number];
/** Of the parameters of the URL that name the page of this list. */
const PREFIX = "jobs-";

/** The failed jobs of the account's applications, each with its reason and a button to run it once more. */
export function FailedJobs() {
  const position = usePagePosition(PREFIX);
  const query = useOperation(FailedJobsDocument, position, { keepPrevious: true });
  const { canChange } = useRole();
  const { mutate, isPending, variables, error } = useChange(RetryJobDocument, [
    FailedJobsDocument,
    HealthDocument,
  ]);
  const retry = ({ id, name, applicationId }: Row) => {
    mutate(
      { input: { applicationId, jobId: id } },
      {
        onSuccess: () =>
          notifications.show({ message: texts.retried(jobLabel(name)), color: "green" }),
      },
    );
  };
  const retrying = isPending ? String(variables?.input.jobId) : undefined;
  const columns = useColumns(canChange ? retry : null, retrying);
  return (
    <Stack gap="xs" component="section">
      <div>
        <Title order={2} size="h4">
          {texts.failedJobs}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.failedJobsText}
        </Text>
      </div>
      {error && <ErrorPanel error={error} />}
      <KeysetList
        query={query}
        page={query.data?.failedJobs}
        prefix={PREFIX}
        label={texts.failedJobs}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.noFailedJobs} text={texts.noFailedJobsText} />}
      />
    </Stack>
  );
}

/** @param retry null for members who may not change anything */
function useColumns(
  retry: ((job: Row) => void) | null,
  retrying: string | undefined,
): readonly Column<Row>[] {
  const { data } = useAccount();
  const names = new Map(data?.account.applications.map(({ id, name }) => [id, name]));
  return [
    {
      key: "job",
      title: texts.job,
      render: ({ name, reason }) => (
        <>
          <Text size="sm" fw={600}>
            {jobLabel(name)}
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {reason}
          </Text>
        </>
      ),
    },
    {
      key: "application",
      title: applicationStrings.kind,
      render: ({ applicationId }) => (
        <Anchor component={Link} to={`/applications/${applicationId}`} size="sm">
          {names.get(applicationId) ?? applicationId}
        </Anchor>
      ),
    },
    {
      key: "failed",
      title: texts.failedAt,
      render: ({ failedAt, attempts }) => (
        <>
          <Text size="sm" title={formatDateTime(failedAt)}>
            {formatRelative(failedAt)}
          </Text>
          <Text size="xs" c="dimmed">
            {texts.attempts(attempts)}
          </Text>
        </>
      ),
    },
    ...(retry
      ? [
          {
            key: "retry",
            title: texts.action,
            align: "right" as const,
            render: (job: Row) => (
              <Button
                variant="default"
                size="xs"
                loading={retrying === job.id}
                disabled={retrying !== undefined && retrying !== job.id}
                aria-label={texts.retryJob(jobLabel(job.name), formatDateTime(job.failedAt))}
                onClick={() => retry(job)}
              >
                {texts.retry}
              </Button>
            ),
          },
        ]
      : []),
  ];
}
