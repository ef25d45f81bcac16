import { PhoneIcon, VideoCameraIcon } from "@heroicons/react/24/outline";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { useSubscription } from "../../api/subscriptions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { LiveError, LiveIndicator } from "../../components/live-indicator.tsx";
import { useLiveRows } from "../../components/use-live-rows.ts";
import { formatDateTime, formatExactTime, formatSeconds } from "../../formats.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { CallFilterBar } from "./call-filter-bar.tsx";
import { callVariables, fitsFilters, useCallFilters } from "./call-filters.ts";
import { CallBadge, CallLength, callKind, callTitle } from "./call-labels.tsx";
import { CallsDocument, type ListedCallFragment, LiveCallsDocument } from "./calls.generated.ts";
import { callsStrings } from "./strings.ts";

const texts = callsStrings;

function columnsOf(applicationId: string): readonly Column<ListedCallFragment>[] {
  return [
    {
      key: "call",
      title: texts.call,
      render: ({ id, callType, participants }) => {
        const Icon = callType === "AUDIO" ? PhoneIcon : VideoCameraIcon;
        return (
          <Group gap="sm" wrap="nowrap">
            <Icon width={18} role="img" aria-label={callKind(callType)} className="row-icon" />
            <Anchor component={Link} to={`/applications/${applicationId}/calls/${id}`} fw={600}>
              {callTitle(participants)}
            </Anchor>
          </Group>
        );
      },
    },
    { key: "status", title: texts.status, render: (call) => <CallBadge {...call} /> },
    {
      key: "started",
      title: texts.started,
      render: ({ startedAt }) => (
        <time dateTime={startedAt} title={formatExactTime(startedAt)} className="unbroken">
          {formatDateTime(startedAt)}
        </time>
      ),
    },
    {
      key: "answered",
      title: texts.answered,
      align: "right",
      render: ({ answerSeconds }) =>
        answerSeconds === null ? (
          <Text span size="sm" c="dimmed">
            {texts.notAnswered}
          </Text>
        ) : (
          <span className="figure">{formatSeconds(answerSeconds)}</span>
        ),
    },
    {
      key: "length",
      title: texts.length,
      align: "right",
      render: (call) => <CallLength {...call} />,
      wideOnly: true,
    },
  ];
}

/** Newest first, and by their ids those that began at once. */
function isBefore(one: ListedCallFragment, other: ListedCallFragment): boolean {
  const apart = Date.parse(one.startedAt) - Date.parse(other.startedAt);
  return apart === 0 ? Number(one.id) > Number(other.id) : apart > 0;
}

/** The calls of an application: a list of any length, whose live calls change by themselves. */
export function Component() {
  const applicationId = useApplicationId();
  const state = useCallFilters();
  const { filters, isFiltered } = state;
  const position = usePagePosition();
  const variables = { applicationId, ...callVariables(filters) };
  // Changes are followed for the calls that are shown: others may be outdated.
  const query = useOperation(
    CallsDocument,
    { ...variables, ...position },
    { keepPrevious: true, isAlwaysRead: true },
  );
  const live = useLiveRows<ListedCallFragment>(JSON.stringify({ ...variables, ...position }), {
    page: query.data?.application.calls,
    readAt: query.dataUpdatedAt,
    takesNew: query.data?.application.calls.pageInfo.hasPreviousPage === false,
    matches: (call) => fitsFilters(call, filters),
    isBefore,
    readAgain: () => void query.refetch(),
  });
  const subscription = useSubscription(
    LiveCallsDocument,
    { applicationId },
    {
      onData: ({ callChanges }) => live.change(callChanges),
      onGap: () => {
        live.forget();
        void query.refetch();
      },
      onActive: () => void query.refetch(),
    },
  );
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      badge={<LiveIndicator state={subscription.state} />}
    >
      <LiveError of={subscription} />
      <CallFilterBar state={state} />
      <KeysetList
        query={query}
        page={live.page}
        label={texts.label}
        columns={columnsOf(applicationId)}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <EmptyState title={texts.emptyFiltered} text={texts.emptyFilteredText} />
          ) : (
            <EmptyState title={texts.empty} text={texts.emptyText} />
          )
        }
      />
    </Page>
  );
}
