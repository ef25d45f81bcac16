import { useSearchParams } from "react-router";

/**
 * Filters of a list in the query of the URL, without secrets. A changed filter begins at the first page.
 * @param defaults the filters by name, with the values that the URL leaves out
 */
export function useUrlFilters<Filters extends Record<string, string>>(
  defaults: Filters,
): [Filters, (changes: Partial<Filters>) => void] {
  const [query, setQuery] = useSearchParams();
  const filters = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value]),
  ) as Filters;
  const change = (changes: Partial<Filters>) =>
    setQuery(
      () => {
        // The URL itself: what is rendered may be older, and would undo a change that waits for its rendering.
        const current = new URLSearchParams(window.location.search);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === defaults[name]) current.delete(name);
          else current.set(name, value);
        }
        current.delete("after");
        current.delete("before");
        return current;
      },
      // Each letter of a search would be an entry of the history.
      { replace: true },
    );
  return [filters, change];
}
