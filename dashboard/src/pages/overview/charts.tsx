import { Anchor, Badge, Group, Paper, SimpleGrid, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { Link } from "react-router";
import { ChartLegend } from "../../components/chart-legend.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { TimeChart } from "../../components/time-chart.tsx";
import { formatNumber } from "../../formats.ts";
import {
  bucketLabel,
  type Counts,
  errorTotal,
  pushTotal,
  type Statistics,
} from "./overview-statistics.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings;
type Bucket = Statistics["series"][number];

/** A line of a chart. */
interface Line {
  label: string;
  color: string;
  value(bucket: Bucket): number;
  /** What it comes to in the whole period. */
  total?(totals: Counts): number;
}

/** Codes of errors that are named below their chart. */
const CODES_MAX = 4;

/** A line of what is counted. */
function counted(label: string, color: string, total: (counts: Counts) => number): Line {
  return { label, color, value: ({ counts }) => total(counts), total };
}

const REQUESTS: readonly Line[] = [counted(texts.requests, "indigo.6", ({ requests }) => requests)];
const ERRORS: readonly Line[] = [counted(texts.errors, "red.6", errorTotal)];
const CONNECTIONS: readonly Line[] = [
  { label: texts.graphql, color: "indigo.6", value: ({ sockets }) => sockets.graphql },
  { label: texts.chat, color: "teal.6", value: ({ sockets }) => sockets.xmpp },
  { label: texts.legacy, color: "grape.5", value: ({ sockets }) => sockets.janus },
];
const SESSIONS: readonly Line[] = [
  { label: texts.sessions, color: "indigo.6", value: ({ sessions }) => sessions ?? 0 },
];
const CALLS: readonly Line[] = [
  counted(texts.calls, "indigo.6", ({ calls }) => calls),
  counted(texts.conferences, "teal.6", ({ conferences }) => conferences),
];
const SIGNALS: readonly Line[] = [counted(texts.signals, "indigo.6", ({ signals }) => signals)];
const SIGN_INS: readonly Line[] = [
  counted(texts.signIns, "indigo.6", ({ signIns }) => signIns),
  counted(texts.signUps, "teal.6", ({ signUps }) => signUps),
  counted(texts.failedSignIns, "red.6", ({ failedSignIns }) => failedSignIns),
];
const PUSHES: readonly Line[] = [
  counted(texts.accepted, "teal.6", ({ pushes }) => pushes.accepted),
  counted(texts.failed, "red.6", ({ pushes }) => pushes.failed),
  counted(texts.unregistered, "orange.5", ({ pushes }) => pushes.unregistered),
  counted(texts.retried, "gray.5", ({ pushes }) => pushes.retried),
];

/** What happened in a period: a chart of each kind, with its total. */
export function Charts({
  statistics,
  applicationId,
}: {
  statistics: Statistics;
  applicationId: string | null;
}) {
  const { totals, series } = statistics;
  const chart = (lines: readonly Line[]) => ({ statistics, lines });
  const peak = (value: (bucket: Bucket) => number) => Math.max(0, ...series.map(value));
  if (isQuiet(statistics)) return <Quiet applicationId={applicationId} />;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Chart title={texts.requests} figure={formatNumber(totals.requests)} {...chart(REQUESTS)} />
      <Chart
        title={texts.errors}
        figure={formatNumber(errorTotal(totals))}
        {...chart(ERRORS)}
        legend={<ErrorCodes errors={totals.errors} />}
      />
      <Chart
        title={texts.connections}
        figure={formatNumber(
          peak(({ sockets: { graphql, xmpp, janus } }) => graphql + xmpp + janus),
        )}
        detail={texts.peak}
        stacked
        {...chart(CONNECTIONS)}
      />
      <Chart
        title={texts.sessions}
        figure={formatNumber(peak(({ sessions }) => sessions ?? 0))}
        detail={texts.peak}
        {...chart(SESSIONS)}
      />
      <Chart
        title={texts.callsAndConferences}
        figure={formatNumber(totals.calls + totals.conferences)}
        {...chart(CALLS)}
      />
      <Chart title={texts.signals} figure={formatNumber(totals.signals)} {...chart(SIGNALS)} />
      <Chart
        title={texts.signInsAndSignUps}
        figure={formatNumber(totals.signIns + totals.signUps)}
        {...chart(SIGN_INS)}
      />
      <Chart
        title={texts.pushes}
        figure={formatNumber(pushTotal(totals))}
        stacked
        {...chart(PUSHES)}
      />
    </SimpleGrid>
  );
}

/** Whether nothing at all happened in the period. */
function isQuiet({ totals, series }: Statistics): boolean {
  const lines = [REQUESTS, ERRORS, CONNECTIONS, SESSIONS, CALLS, SIGNALS, SIGN_INS, PUSHES].flat();
  return (
    totals.requests === 0 &&
    series.every((bucket) => lines.every(({ value }) => value(bucket) === 0))
  );
}

function Quiet({ applicationId }: { applicationId: string | null }) {
  const to =
    applicationId === null ? "/applications" : `/applications/${applicationId}/settings?tab=keys`;
  return (
    <Paper withBorder>
      <EmptyState
        title={texts.quiet}
        text={applicationId === null ? texts.quietAll : texts.quietApplication}
        action={
          <Anchor component={Link} to={to} size="sm">
            {applicationId === null ? texts.toApplications : texts.toKeys}
          </Anchor>
        }
      />
    </Paper>
  );
}

function Chart({
  title,
  figure,
  detail,
  statistics: { series, totals, period },
  lines,
  stacked = false,
  legend,
}: {
  title: string;
  figure: string;
  detail?: string;
  statistics: Statistics;
  lines: readonly Line[];
  stacked?: boolean;
  legend?: ReactNode;
}) {
  const id = useId();
  const data = series.map((bucket) => ({
    time: bucketLabel(bucket.startsAt, period),
    ...Object.fromEntries(lines.map(({ label, value }) => [label, value(bucket)])),
  }));
  const named = lines.map(({ label, color, total }) => ({
    ...{ label, color },
    figure: total && formatNumber(total(totals)),
  }));
  const isEmpty = series.every((bucket) => lines.every(({ value }) => value(bucket) === 0));
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id} className="chart-card">
      <Title order={3} size="sm" fw={600} id={id}>
        {title}
      </Title>
      <Group gap="xs" align="baseline" mb={4}>
        <Text fz={24} fw={650} lh={1.3} className="figure">
          {figure}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        )}
      </Group>
      {legend ?? (lines.length > 1 && !isEmpty && <ChartLegend series={named} />)}
      {isEmpty ? (
        <Text size="sm" c="dimmed" className="chart-empty">
          {texts.none}
        </Text>
      ) : (
        <TimeChart
          label={title}
          data={data}
          series={lines.map(({ label, color }) => ({ name: label, label, color }))}
          height={160}
          stacked={stacked}
        />
      )}
    </Paper>
  );
}

/** The most frequent codes, so that it is clear what went wrong. */
function ErrorCodes({ errors }: { errors: Statistics["totals"]["errors"] }) {
  if (errors.length === 0) return null;
  return (
    <Group gap={6} mb="xs">
      {errors.slice(0, CODES_MAX).map(({ code, count }) => (
        <Badge key={code} variant="light" color="gray" tt="none" fw={500}>
          {texts.errorCode(texts.codes[code] ?? code, formatNumber(count))}
        </Badge>
      ))}
    </Group>
  );
}
