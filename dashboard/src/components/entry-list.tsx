import { Card, Group, Paper, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
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
export function EntryList<Row>({
  label,
  columns,
  rows,
  rowKey,
  empty,
}: {
  /** What the list holds, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey(row: Row): string;
  /** Shown in place of no entries. */
  empty: ReactNode;
}) {
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
  if (isNarrow) return <Cards {...{ label, columns, rows, rowKey }} />;
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
              <Table.Tr key={rowKey(row)}>
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
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
}) {
  const [first, ...others] = columns.filter(({ wideOnly }) => !wideOnly);
  return (
    <Stack component="ul" gap="sm" p={0} m={0} aria-label={label} style={{ listStyle: "none" }}>
      {rows.map((row) => (
        <Card component="li" withBorder key={rowKey(row)} padding="md">
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
