import { ChevronLeftIcon, ChevronRightIcon } from "@heroicons/react/24/outline";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { SignalboxError } from "@signalbox/client";
import { type ReactNode, useRef } from "react";
import { useSearchParams } from "react-router";
import { strings } from "../strings.ts";
import { type Column, EntryList, type EntryListControls } from "./entry-list.tsx";
import { ErrorPanel } from "./error-panel.tsx";

/** Entries on a page of a list. */
const PAGE_SIZE = 25;

/** The variables that select a page of a list. */
export interface PageVariables {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
}

/**
 * The position in a list, from the query of the URL: a page can be reloaded, linked and left by the browser's back
 * button. Cursors are no secrets.
 * @param prefix of the names, if a page has several lists
 */
export function usePagePosition(prefix = ""): PageVariables {
  const [query] = useSearchParams();
  const [after, before] = [query.get(`${prefix}after`), query.get(`${prefix}before`)];
  if (before !== null) return { last: PAGE_SIZE, before };
  return { first: PAGE_SIZE, ...(after !== null && { after }) };
}

/** A page of a list, as the service returns it. */
export interface ConnectionPage<Row> {
  nodes: readonly Row[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor?: string | null;
    endCursor?: string | null;
  };
  totalCount?: number;
  totalIsExact?: boolean;
}

/** What a list needs of a query. */
export interface ListQuery {
  error: SignalboxError | null;
  isPlaceholderData: boolean;
  refetch(): unknown;
}

/**
 * A list of any length, one page at a time by its cursors. Query it with the variables of {@link usePagePosition} and
 * with `keepPrevious`.
 * @param page undefined while it loads
 */
export function KeysetList<Row>({
  query,
  page,
  prefix = "",
  ...list
}: {
  query: ListQuery;
  page: ConnectionPage<Row> | undefined;
  prefix?: string;
  label: string;
  columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  empty: ReactNode;
}) {
  const controls = useRef<EntryListControls>(null);
  if (query.error && (page === undefined || query.isPlaceholderData)) {
    return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md" aria-busy={query.isPlaceholderData}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <EntryList {...list} rows={page?.nodes} controls={controls} />
      {page && <PageButtons page={page} prefix={prefix} onPage={() => controls.current?.show()} />}
    </Stack>
  );
}

function PageButtons<Row>({
  page,
  prefix,
  onPage,
}: {
  page: ConnectionPage<Row>;
  prefix: string;
  /** Called when another page is chosen. */
  onPage(): void;
}) {
  const [, setQuery] = useSearchParams();
  const { totalCount, totalIsExact = true } = page;
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
  const goTo = (name: "after" | "before", cursor: string | null | undefined) => {
    setQuery(() => {
      const query = new URLSearchParams(window.location.search);
      query.delete(`${prefix}after`);
      query.delete(`${prefix}before`);
      if (cursor) query.set(`${prefix}${name}`, cursor);
      return query;
    });
    onPage();
  };
  if (!hasNextPage && !hasPreviousPage && totalCount === undefined) return null;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {totalCount !== undefined && strings.common.entries(totalCount, totalIsExact)}
      </Text>
      {(hasNextPage || hasPreviousPage) && (
        <Group gap="xs">
          <Button
            variant="default"
            size="sm"
            disabled={!hasPreviousPage}
            onClick={() => goTo("before", startCursor)}
            leftSection={<ChevronLeftIcon width={16} aria-hidden />}
          >
            {strings.common.previous}
          </Button>
          <Button
            variant="default"
            size="sm"
            disabled={!hasNextPage}
            onClick={() => goTo("after", endCursor)}
            rightSection={<ChevronRightIcon width={16} aria-hidden />}
          >
            {strings.common.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}
