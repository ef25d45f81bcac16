import { Card, Group, Paper, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { strings } from "../strings.ts";

/** A column of a list, or a line of its cards. */
export interface Column<Row> {
  /** Unique in the list. */
  key: string;
  title: string;
  render(row: Row): ReactNode;
  /** Stays out of the cards on a phone. */
  wideOnly?: boolean;
  align?: "right";
}

/** Rows that stand in for a list that loads. */
const SKELETONS = ["1", "2", "3", "4", "5"];

/** Whether the page is as narrow as a phone, where lists become cards. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false }) ?? false;
}

/**
 * Entries as a table, or as cards on a phone. The first column is the name of an entry, usually a link.
 * @param rows undefined while they load
 */
export function EntryList<Row>({ controls, ...list }: EntryListProps<Row>) {
  const { label, rows, rowKey } = list;
  const container = useRef<HTMLDivElement>(null);
  const focused = useRef<string | null>(null);
  useImperativeHandle(controls, () => ({
    show() {
      container.current?.scrollIntoView({ block: "start" });
      container.current?.focus({ preventScroll: true });
    },
  }));
  useEffect(() => {
    const isGone = rows && !rows.some((row) => rowKey(row) === focused.current);
    if (focused.current === null || !isGone) return;
    focused.current = null;
    // The entry had the focus, or a dialog of it.
    if (document.activeElement === document.body) container.current?.focus({ preventScroll: true });
  }, [rows, rowKey]);
  const follow = (key: string | null) => {
    focused.current = key;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fieldset
    <div ref={container} role="group" aria-label={label} tabIndex={-1} className="entries">
      <Entries {...list} onFocus={follow} />
    </div>
  );
}

/** An {@link EntryList}. */
export interface EntryListProps<Row> {
  /** What the list holds, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey(row: Row): string;
  /** Shown in place of no entries. */
  empty: ReactNode;
  controls?: Ref<EntryListControls>;
}

/** What others can do with an {@link EntryList}. */
export interface EntryListControls {
  /** Moves the focus and the window to the beginning of the list. */
  show(): void;
}

/** @param onFocus gets the key of the entry that the focus is in, or null when it leaves the entries */
function Entries<Row>({
  label,
  columns,
  rows,
  rowKey,
  empty,
  onFocus,
}: Omit<EntryListProps<Row>, "controls"> & { onFocus(key: string | null): void }) {
  const isNarrow = useIsNarrow();
  if (rows === undefined) {
    return (
      <Paper withBorder p="md" aria-busy aria-label={strings.common.loading} role="status">
        <Stack gap="sm">
          {SKELETONS.map((key) => (
            <Skeleton key={key} height={22} />
          ))}
        </Stack>
      </Paper>
    );
  }
  if (rows.length === 0) return <Paper withBorder>{empty}</Paper>;
  const followed = (row: Row) => ({
    // Also in a dialog of the entry.
    onFocus: () => onFocus(rowKey(row)),
    onBlur: (event: { relatedTarget: EventTarget | null }) => {
      if (event.relatedTarget !== null) onFocus(null);
    },
  });
  if (isNarrow) return <Cards {...{ label, columns, rows, rowKey, followed }} />;
  return (
    <Paper withBorder>
      <Table.ScrollContainer minWidth={0}>
        <Table
          className="list-table"
          aria-label={label}
          highlightOnHover
          verticalSpacing="sm"
          horizontalSpacing="md"
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ key, title, align }) => (
                <Table.Th key={key} scope="col" ta={align}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={rowKey(row)} {...followed(row)}>
                {columns.map(({ key, render, align }) => (
                  <Table.Td key={key} ta={align}>
                    {render(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

function Cards<Row>({
  label,
  columns,
  rows,
  rowKey,
  followed,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  followed(row: Row): object;
}) {
  const [first, ...others] = columns.filter(({ wideOnly }) => !wideOnly);
  return (
    <Stack component="ul" gap="sm" p={0} m={0} aria-label={label} style={{ listStyle: "none" }}>
      {rows.map((row) => (
        <Card
          component="li"
          withBorder
          key={rowKey(row)}
          padding="md"
          className="breakable"
          {...followed(row)}
        >
          {first?.render(row)}
          {linesOf(others, row).map(({ key, title, value }) => (
            <Group key={key} justify="space-between" gap="md" mt={6} wrap="nowrap" align="baseline">
              <Text size="sm" c="dimmed" flex="none">
                {title}
              </Text>
              <Text size="sm" ta="right" component="div" style={{ overflowWrap: "anywhere" }}>
                {value}
              </Text>
            </Group>
          ))}
        </Card>
      ))}
    </Stack>
  );
}

/** The lines of a card; one without a value is left out. */
function linesOf<Row>(columns: readonly Column<Row>[], row: Row) {
  return columns
    .map(({ key, title, render }) => ({ key, title, value: render(row) }))
    .filter(({ value }) => value !== null && value !== false && value !== "");
}
