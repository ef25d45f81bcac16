import { useEffect, useRef, useState } from "react";
import type { ConnectionPage } from "./keyset-list.tsx";

/** Number of changed entries that a list remembers: the latest. */
const REMEMBERED = 1_000;
/** New entries above a page after which it is read again. */
const ARRIVED_MAX = 25;
/** Wait before a page is read again, in milliseconds, so that a busy list is not read for each change. */
const READ_AGAIN_MS = 2_000;

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
  /** Reads the page again, when a change may belong between its entries. */
  readAgain(): void;
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
  { page, readAt, takesNew, matches, isBefore, readAgain }: LiveRows<Row>,
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
  const nodes = page?.nodes.map((row) => changes.get(row.id)?.row ?? row) ?? [];
  const known = new Set(nodes.map(({ id }) => id));
  const [first, last] = [nodes[0], nodes.at(-1)];
  const others = [...changes.values()].filter(({ row }) => page && !known.has(row.id));
  const arrived = others
    .filter(({ row, at, fitted }) => {
      if (!takesNew || (!matches(row) && !(fitted && at > readAt))) return false;
      return first === undefined || isBefore(row, first);
    })
    .map(({ row }) => row)
    .sort((one, other) => (isBefore(one, other) ? -1 : 1));
  // An older entry that begins to fit the filters belongs between those of the page, unless it was read since.
  const isBetween = others.some(
    ({ row, at }) =>
      at > readAt &&
      matches(row) &&
      first !== undefined &&
      last !== undefined &&
      isBefore(first, row) &&
      (isBefore(row, last) || page?.pageInfo.hasNextPage === false),
  );
  const isOutdated = isBetween || arrived.length > ARRIVED_MAX;
  const latest = useRef(readAgain);
  latest.current = readAgain;
  useEffect(() => {
    if (!isOutdated) return;
    const timer = setTimeout(() => latest.current(), READ_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isOutdated, readAt]);
  if (!page || changes.size === 0) return { page, change, forget };
  return { page: { ...page, nodes: [...arrived, ...nodes] }, change, forget };
}
