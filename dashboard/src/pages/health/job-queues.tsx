import { Paper, Stack, Text, Title } from "@mantine/core";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { formatNumber } from "../../formats.ts";
import type { HealthQuery } from "./health.generated.ts";
import { jobLabel } from "./job-labels.ts";
import { healthStrings } from "./strings.ts";

const texts = healthStrings;
type Queue = HealthQuery["health"]["jobQueues"][number];
/** Numbers are counted up to this one. */
const COUNT_MAX = 10_000;

const NUMBERS = ["waiting", "active", "failed"] as const;
const COLUMNS: readonly Column<Queue>[] = [
  {
    key: "name",
    title: texts.job,
    render: ({ name }) => (
      <Text size="sm" fw={600}>
        {jobLabel(name)}
      </Text>
    ),
  },
  ...NUMBERS.map(
    (key): Column<Queue> => ({
      key,
      title: texts[key],
      align: "right",
      render: (queue) => <Count count={queue[key]} isBad={key === "failed"} />,
    }),
  ),
];

function Count({ count, isBad }: { count: number; isBad: boolean }) {
  const text = count >= COUNT_MAX ? texts.orMore(formatNumber(count)) : formatNumber(count);
  if (count === 0) return <Text {...{ size: "sm", c: "dimmed", span: true }}>{text}</Text>;
  return (
    <Text size="sm" fw={600} span {...(isBad && { c: "var(--mantine-color-red-text)" })}>
      {text}
    </Text>
  );
}

/** The background jobs of the deployment that have something to do or have failed. */
export function JobQueues({ queues }: { queues: readonly Queue[] }) {
  const busy = queues.filter((queue) => NUMBERS.some((key) => queue[key] > 0));
  const idle = queues.length - busy.length;
  return (
    <Stack gap="xs" component="section">
      <div>
        <Title order={2} size="h4">
          {texts.jobs}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.jobsText}
        </Text>
      </div>
      {busy.length === 0 ? (
        <Paper withBorder p="md">
          <Text size="sm">{texts.idle}</Text>
        </Paper>
      ) : (
        <EntryList
          label={texts.jobs}
          columns={COLUMNS}
          rows={busy}
          rowKey={({ name }) => name}
          empty={null}
        />
      )}
      {busy.length > 0 && idle > 0 && (
        <Text size="xs" c="dimmed">
          {texts.idleKinds(idle)}
        </Text>
      )}
    </Stack>
  );
}
