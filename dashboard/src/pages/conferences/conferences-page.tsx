import { LockClosedIcon } from "@heroicons/react/24/outline";
import { Anchor, Box, Group, SegmentedControl, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { useSubscription } from "../../api/subscriptions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { LiveError, LiveIndicator } from "../../components/live-indicator.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { useLiveRows } from "../../components/use-live-rows.ts";
import { formatDateTime } from "../../formats.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { ConferenceBadge } from "./conference-badge.tsx";
import {
  ConferencesDocument,
  type ListedConferenceFragment,
  LiveConferencesDocument,
} from "./conferences.generated.ts";
import { conferencesStrings } from "./strings.ts";

const texts = conferencesStrings;
const SHOWN = ["open", "closed", "all"] as const;

function columnsOf(applicationId: string): readonly Column<ListedConferenceFragment>[] {
  return [
    {
      key: "name",
      title: texts.name,
      render: ({ id, name, locked }) => (
        <Group gap={6} wrap="nowrap">
          <Anchor component={Link} to={`/applications/${applicationId}/conferences/${id}`} fw={600}>
            {name}
          </Anchor>
          {locked && (
            <LockClosedIcon width={16} role="img" aria-label={texts.locked} className="row-icon" />
          )}
        </Group>
      ),
    },
    {
      key: "status",
      title: texts.status,
      render: ({ closedAt, participants }) => (
        <ConferenceBadge isClosed={closedAt !== null} participants={participants.length} />
      ),
    },
    {
      key: "participants",
      title: texts.participants,
      render: ({ closedAt, participants, seats }) =>
        closedAt === null ? (
          <>
            <span className="figure">{texts.seats(participants.length, seats)}</span>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {participants.map(({ name }) => name).join(", ")}
            </Text>
          </>
        ) : (
          strings.common.nothing
        ),
    },
    { key: "access", title: texts.access, render: ({ access }) => texts.accesses[access] },
    {
      key: "created",
      title: texts.created,
      render: ({ createdAt }) => <span className="unbroken">{formatDateTime(createdAt)}</span>,
    },
  ];
}

/** Newest first. */
const isBefore = (one: { id: string }, other: { id: string }) => Number(one.id) > Number(other.id);

/** The conferences of an application, open or closed; those with participants change by themselves. */
export function Component() {
  const applicationId = useApplicationId();
  const [{ show, search }, change] = useUrlFilters({ show: "open", search: "" });
  // The spaces at the end are those between two words that somebody types.
  const name = search.trim();
  const open = show === "all" ? null : show !== "closed";
  const position = usePagePosition();
  const variables = { applicationId, open, ...(name && { name }), ...position };
  // Changes are followed for the conferences that are shown: others may be outdated.
  const query = useOperation(ConferencesDocument, variables, {
    keepPrevious: true,
    isAlwaysRead: true,
  });
  const page = query.data?.application.conferences;
  const live = useLiveRows<ListedConferenceFragment>(JSON.stringify(variables), {
    page,
    readAt: query.dataUpdatedAt,
    takesNew: name === "" && page?.pageInfo.hasPreviousPage === false,
    matches: ({ closedAt }) => open === null || open === (closedAt === null),
    isBefore,
    readAgain: () => void query.refetch(),
  });
  const subscription = useSubscription(
    LiveConferencesDocument,
    { applicationId },
    {
      onData: ({ conferenceChanges }) => live.change(conferenceChanges),
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
      <Group gap="sm">
        <SegmentedControl
          aria-label={texts.show}
          data={SHOWN.map((value) => ({ value, label: texts.shown[value] }))}
          value={show}
          onChange={(value) => change({ show: value })}
        />
        <Box w={{ base: "100%", xs: 320 }}>
          <SearchField
            label={texts.search}
            placeholder={texts.searchPlaceholder}
            value={search}
            onChange={(text) => change({ search: text })}
          />
        </Box>
      </Group>
      <KeysetList
        query={query}
        page={live.page}
        label={texts.label}
        columns={columnsOf(applicationId)}
        rowKey={({ id }) => id}
        empty={<Nothing isSearch={name !== ""} show={show} />}
      />
    </Page>
  );
}

function Nothing({ isSearch, show }: { isSearch: boolean; show: string }) {
  if (isSearch) return <EmptyState title={texts.emptySearch} text={texts.emptySearchText} />;
  if (show === "closed") {
    return <EmptyState title={texts.emptyClosed} text={texts.emptyClosedText} />;
  }
  return <EmptyState title={texts.empty} text={texts.emptyText} />;
}
