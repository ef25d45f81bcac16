import { ArrowPathIcon } from "@heroicons/react/24/outline";
import { Badge, Button, Skeleton, Stack } from "@mantine/core";
import { useState } from "react";
import { operationName, queryClient, useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { formatRelative } from "../../formats.ts";
import { Page } from "../../shell/page.tsx";
import { strings } from "../../strings.ts";
import { Checks } from "./checks.tsx";
import { FailedJobs } from "./failed-jobs.tsx";
import { FailedJobsDocument, HealthDocument, type HealthQuery } from "./health.generated.ts";
import { JobQueues } from "./job-queues.tsx";
import { Nodes } from "./nodes.tsx";
import { healthStrings } from "./strings.ts";

const texts = healthStrings;
/** How often the page asks again, in milliseconds. The service checks every five seconds at most. */
const REFRESH_MS = 10_000;

/** The state of the deployment: what the checks find, nodes and background jobs. */
export function Component() {
  const query = useOperation(HealthDocument, {}, { refreshMs: REFRESH_MS });
  // Not while the page asks by itself.
  const [isAsked, setAsked] = useState(false);
  const health = query.data?.health;
  return (
    <Page
      title={texts.title}
      lead={health ? texts.checked(formatRelative(health.checkedAt)) : texts.lead}
      badge={health && <Summary checks={health.checks} />}
      actions={
        <Button
          variant="default"
          loading={isAsked}
          onClick={() => {
            setAsked(true);
            void Promise.all([
              query.refetch(),
              queryClient.refetchQueries({ queryKey: [operationName(FailedJobsDocument)] }),
            ]).finally(() => setAsked(false));
          }}
          leftSection={<ArrowPathIcon width={18} aria-hidden />}
        >
          {texts.refresh}
        </Button>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !health && (
        <Stack aria-busy role="status" aria-label={strings.common.loading}>
          <Skeleton height={240} />
          <Skeleton height={140} />
        </Stack>
      )}
      {health && (
        <>
          <Checks checks={health.checks} />
          <Nodes nodes={health.nodes} answering={health.nodeId} />
          <JobQueues queues={health.jobQueues} />
        </>
      )}
      <FailedJobs />
    </Page>
  );
}

function Summary({ checks }: { checks: HealthQuery["health"]["checks"] }) {
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  const [errors, warnings] = [count("ERROR"), count("WARNING")];
  const color = errors > 0 ? "red" : warnings > 0 ? "yellow" : "green";
  return (
    <Badge color={color} variant="light" tt="none" size="lg" role="status">
      {errors + warnings === 0 ? texts.allWell : texts.problems(errors, warnings)}
    </Badge>
  );
}
