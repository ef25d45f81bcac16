import { useState } from "react";
import type { ConnectionPage } from "./keyset-list.tsx";

/** Number of changed entries that a list remembers: the latest. */
const REMEMBERED = 1_000;

/** How a list takes part in what happens live. */
export interface LiveRows<Row> {
  /** The page as the service returned it; undefined while it loads. */
  page: ConnectionPage<Row> | undefined;
  /** When the page was read, in milliseconds since the Unix epoch. */
  readAt: number;
  /** Whether new entries belong on this page: it is the first one, and its order is that of time. */
  takesNew: boolean;
  /** Whether an entry fits the filters of the list. */
  matches(row: Row): boolean;
  /** Whether an entry stands before another one. */
  isBefore(row: Row, other: Row): boolean;
}

interface Change<Row> {
  row: Row;
  /** When the page learned of it. */
  at: number;
  /** Whether it has fitted the filters since the list was opened. */
  fitted: boolean;
}

/**
 * Merges live changes into a page of a list. An entry of the page changes where it stands, also if it no longer fits the
 * filters, so that nobody loses the place; new entries come first.
 * @param key of the list: another one forgets the changes
 */
export function useLiveRows<Row extends { id: string }>(
  key: string,
  { page, readAt, takesNew, matches, isBefore }: LiveRows<Row>,
): {
  page: ConnectionPage<Row> | undefined;
  /** Takes a changed entry. */
  change(row: Row): void;
  /** Forgets all changes: they may be outdated. */
  forget(): void;
} {
  const [state, setState] = useState<{ key: string; changes: ReadonlyMap<string, Change<Row>> }>({
    key,
    changes: new Map(),
  });
  const changes: ReadonlyMap<string, Change<Row>> = state.key === key ? state.changes : new Map();
  const change = (row: Row) =>
    setState((current) => {
      const next = new Map(current.key === key ? current.changes : []);
      const fitted = matches(row) || next.get(row.id)?.fitted === true;
      // The latest change is the last one of the map.
      next.delete(row.id);
      next.set(row.id, { row, at: Date.now(), fitted });
      const [oldest] = next.keys();
      if (next.size > REMEMBERED && oldest !== undefined) next.delete(oldest);
      return { key, changes: next };
    });
  const forget = () => setState({ key, changes: new Map() });
  if (!page || changes.size === 0) return { page, change, forget };
  const nodes = page.nodes.map((row) => changes.get(row.id)?.row ?? row);
  const known = new Set(nodes.map(({ id }) => id));
  const [first] = nodes;
  const arrived = [...changes.values()]
    .filter(({ row, at, fitted }) => {
      if (!takesNew || known.has(row.id)) return false;
      if (!matches(row) && !(fitted && at > readAt)) return false;
      return first === undefined || isBefore(row, first);
    })
    .map(({ row }) => row)
    .sort((one, other) => (isBefore(one, other) ? -1 : 1));
  return { page: { ...page, nodes: [...arrived, ...nodes] }, change, forget };
}
