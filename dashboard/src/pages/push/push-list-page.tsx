import { PaperAirplaneIcon } from "@heroicons/react/24/outline";
import { Anchor, Button, Group, Progress, SegmentedControl, Select, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { formatDateTime, formatNumber } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import {
  type EventFieldsFragment,
  PushEventsDocument,
  type PushEventsQueryVariables,
} from "./events.generated.ts";
import { isOpen, pushTitle, StateBadge, senderName } from "./push-labels.tsx";
import { StopDialog } from "./stop-dialog.tsx";
import { pushStrings } from "./strings.ts";

const texts = pushStrings;
type Filter = NonNullable<PushEventsQueryVariables["filter"]>;
const STATES = ["all", "SENDING", "SCHEDULED", "FINISHED"] as const;
const KINDS = ["all", "API", "CALL", "CALL_END", "MISSED_CALL"] as const;
/** How often a list with a push that sends is read again, in milliseconds. */
const REFRESH_MS = 3_000;

/** The pushes of an application, with the schedules among them. */
export function Component() {
  const applicationId = useApplicationId();
  const { canChange } = useRole();
  const [filters, setFilters] = useUrlFilters({ state: "all", kind: "all" });
  const position = usePagePosition();
  const [stopping, setStopping] = useState<EventFieldsFragment | null>(null);
  const [hasOpen, setHasOpen] = useState(false);
  const query = useOperation(
    PushEventsDocument,
    { applicationId, filter: filterOf(filters), ...position },
    { keepPrevious: true, ...(hasOpen && { refreshMs: REFRESH_MS }) },
  );
  const page = query.data?.application.pushEvents;
  const isSending = page?.nodes.some(({ state }) => state === "SENDING") ?? false;
  if (isSending !== hasOpen) setHasOpen(isSending);
  const isFiltered = filters.state !== "all" || filters.kind !== "all";
  const compose = canChange && (
    <Button
      component={Link}
      to={`/applications/${applicationId}/push/new`}
      leftSection={<PaperAirplaneIcon width={18} aria-hidden />}
    >
      {texts.compose}
    </Button>
  );
  return (
    <Page title={texts.title} lead={texts.lead} actions={compose}>
      <Group align="flex-end" gap="md">
        <SegmentedControl
          aria-label={texts.filters.state}
          data={STATES.map((value) => ({ value, label: texts.filters.states[value] }))}
          value={filters.state}
          onChange={(state) => setFilters({ state })}
        />
        <Select
          aria-label={texts.filters.kind}
          data={KINDS.map((value) => ({ value, label: texts.filters.kinds[value] }))}
          value={filters.kind}
          onChange={(kind) => setFilters({ kind: kind ?? "all" })}
          allowDeselect={false}
          w={200}
        />
      </Group>
      <KeysetList
        query={query}
        page={page}
        label={texts.listLabel}
        columns={columnsFor(applicationId, canChange ? setStopping : null)}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <EmptyState
              title={texts.emptyFilter}
              text={texts.emptyFilterText}
              action={
                <Button
                  variant="default"
                  mt="xs"
                  onClick={() => setFilters({ state: "all", kind: "all" })}
                >
                  {strings.common.clearFilters}
                </Button>
              }
            />
          ) : (
            <EmptyState
              title={texts.empty}
              text={canChange ? texts.emptyText : texts.emptyReadOnly}
              action={compose}
            />
          )
        }
      />
      <StopDialog event={stopping} onClose={() => setStopping(null)} />
    </Page>
  );
}

/** The filter of the URL; any other value than the choices counts as all. */
function filterOf({ state, kind }: { state: string; kind: string }): Filter {
  const states: readonly string[] = STATES.slice(1);
  const kinds: readonly string[] = KINDS.slice(1);
  return {
    ...(states.includes(state) && { state: state as NonNullable<Filter["state"]> }),
    ...(kinds.includes(kind) && { kind: kind as NonNullable<Filter["kind"]> }),
  };
}

function columnsFor(
  applicationId: string,
  stop: ((event: EventFieldsFragment) => void) | null,
): Column<EventFieldsFragment>[] {
  return [
    {
      key: "message",
      title: texts.columns.message,
      render: (event) => (
        <>
          <Anchor
            component={Link}
            to={`/applications/${applicationId}/push/${event.id}`}
            fw={600}
            size="sm"
            lineClamp={1}
          >
            {pushTitle(event)}
          </Anchor>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {secondLine(event)}
          </Text>
        </>
      ),
    },
    {
      key: "channel",
      title: texts.columns.channel,
      render: ({ channel, environment }) => (
        <>
          {texts.channels[channel]}
          {environment === "DEVELOPMENT" && (
            <Text size="xs" c="dimmed">
              {texts.environments[environment]}
            </Text>
          )}
        </>
      ),
    },
    {
      key: "state",
      title: texts.columns.state,
      render: (event) => (
        <>
          <StateBadge event={event} />
          {event.state === "SCHEDULED" && event.nextRunAt && (
            <Text size="xs" c="dimmed" mt={2}>
              {texts.next(formatDateTime(event.nextRunAt))}
            </Text>
          )}
        </>
      ),
    },
    { key: "result", title: texts.columns.result, render: (event) => <Result event={event} /> },
    {
      key: "created",
      title: texts.columns.created,
      render: ({ createdAt }) => formatDateTime(createdAt),
      wideOnly: true,
    },
    ...(stop
      ? [
          {
            key: "stop",
            title: texts.columns.action,
            align: "right" as const,
            render: (event: EventFieldsFragment) =>
              isOpen(event) && (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={texts.stop.stopOf(pushTitle(event))}
                  onClick={() => stop(event)}
                >
                  {texts.stop.button}
                </Button>
              ),
          },
        ]
      : []),
  ];
}

/** What the push says below its title, or who has sent it. */
function secondLine(event: EventFieldsFragment): string {
  const { notification } = event;
  const text = notification?.body;
  return text && text !== pushTitle(event) ? text : senderName(event);
}

/** How many devices were reached, with a bar while it sends. */
function Result({ event }: { event: EventFieldsFragment }) {
  const { acceptedCount, deliveryCount, pendingCount, state } = event;
  if (deliveryCount === 0) {
    return (
      <Text size="sm" c="dimmed">
        {state === "FINISHED" ? texts.nobody : texts.noDevice}
      </Text>
    );
  }
  const all = formatNumber(deliveryCount);
  const decided = deliveryCount - pendingCount;
  return (
    <>
      <Text size="sm">{texts.of(formatNumber(acceptedCount), all)}</Text>
      {pendingCount > 0 && (
        <Progress
          size="sm"
          mt={4}
          maw={140}
          value={(100 * decided) / deliveryCount}
          aria-label={texts.progress(formatNumber(decided), all)}
        />
      )}
    </>
  );
}
