import { CheckCircleIcon, ExclamationTriangleIcon, XCircleIcon } from "@heroicons/react/24/outline";
import {
  Anchor,
  Button,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { AccountAttentionDocument, AttentionFailedJobsDocument } from "./attention.generated.ts";
import {
  type AttentionItem,
  applicationItems,
  deploymentItems,
  failedJobItems,
} from "./attention-items.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings.attention;
/** How often the page asks again, in milliseconds. */
const REFRESH_MS = 30_000;
/** Items that are shown at first. */
const SHOWN_MAX = 5;

/** What needs attention, each with a link to the page where it is solved. */
export function Attention({ applicationId }: { applicationId: string | null }) {
  const options = { refreshMs: REFRESH_MS };
  const query = useOperation(AccountAttentionDocument, {}, options);
  const jobs = useOperation(
    AttentionFailedJobsDocument,
    {},
    { ...options, enabled: applicationId !== null },
  );
  const error = query.error ?? jobs.error;
  if (error) {
    const retry = () => {
      void query.refetch();
      // It would also read what the page of all applications does not show.
      if (applicationId !== null) void jobs.refetch();
    };
    return <ErrorPanel error={error} onRetry={retry} />;
  }
  const { data } = query;
  if (!data || (applicationId !== null && !jobs.data)) return <Skeleton height={56} aria-busy />;
  const items = [
    ...(applicationId === null ? deploymentItems(data.health) : []),
    ...applicationItems(data.account, applicationId),
    ...(applicationId !== null && jobs.data
      ? failedJobItems(jobs.data.failedJobs, applicationId)
      : []),
  ].sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
  if (items.length === 0) {
    return (
      <Group gap="xs" wrap="nowrap" component="section">
        <CheckCircleIcon width={20} color="var(--mantine-color-green-text)" aria-hidden />
        <Text size="sm">{texts.allWell}</Text>
      </Group>
    );
  }
  return <Items items={items} />;
}

function Items({ items }: { items: readonly AttentionItem[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, SHOWN_MAX);
  const rest = items.length - shown.length;
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <Paper withBorder>
        <ul className="attention">
          {shown.map(({ key, isUrgent, text, to, action }) => {
            const Icon = isUrgent ? XCircleIcon : ExclamationTriangleIcon;
            return (
              <li key={key}>
                <Icon
                  width={20}
                  color={`var(--mantine-color-${isUrgent ? "red" : "yellow"}-text)`}
                  aria-hidden
                />
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  <VisuallyHidden>{isUrgent ? texts.urgent : texts.notice}: </VisuallyHidden>
                  {text}
                </Text>
                <Anchor component={Link} to={to} size="sm">
                  {action}
                </Anchor>
              </li>
            );
          })}
        </ul>
        {rest > 0 && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            m="xs"
            onClick={() => setWhole(true)}
          >
            {texts.more(rest)}
          </Button>
        )}
      </Paper>
    </Stack>
  );
}
