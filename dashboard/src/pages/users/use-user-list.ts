import { useUrlFilters } from "../../components/url-filters.ts";
import {
  type Condition,
  isTooWide,
  readConditions,
  toUserFilter,
  writeConditions,
} from "./filter/conditions.ts";
import { usersStrings } from "./strings.ts";
import type { ApplicationUsersQueryVariables } from "./users.generated.ts";

const texts = usersStrings;
const DEFAULTS = {
  search: "",
  status: "all",
  kind: "all",
  filter: "",
  sort: "ID",
  order: "desc",
};

/** A field that the list can be sorted by. */
export type SortField = keyof typeof texts.sorts;

/** Search, filter and order of the list of users, as the URL has them. */
export interface UserListState {
  filters: typeof DEFAULTS;
  change(changes: Partial<typeof DEFAULTS>): void;
  conditions: readonly Condition[];
  setConditions(conditions: readonly Condition[]): void;
  /** The orders that the service has for these filters, the sign-up first. */
  sorts: readonly SortField[];
  sort: SortField;
  isDescending: boolean;
  /** Whether users are searched: the list then has an order of its own. */
  isSearch: boolean;
  /** Why there is but one order; null if there are more. */
  sortFixed: string | null;
  /** Whether something is chosen that hides users. */
  isFiltered: boolean;
  clear(): void;
  /** What the service is asked for; null if it would refuse the conditions. */
  variables: Omit<ApplicationUsersQueryVariables, "applicationId"> | null;
}

/** The state of the list in the URL. */
export function useUserList(): UserListState {
  const [filters, change] = useUrlFilters(DEFAULTS);
  const search = filters.search.trim();
  const conditions = readConditions(filters.filter);
  const blocked = choiceOf(filters.status, "blocked", "active");
  const guest = choiceOf(filters.kind, "guests", "users");
  const isSearch = search !== "";
  const sortFixed = fixedOrder(isSearch, conditions, blocked || guest);
  const sorts = sortsFor(sortFixed !== null, conditions);
  const sort = sorts.find((each) => each === filters.sort) ?? "ID";
  const isDescending = filters.order !== "asc";
  return {
    filters,
    change,
    conditions,
    setConditions: (next) => change({ filter: writeConditions(next) }),
    sorts,
    sort,
    isDescending,
    isSearch,
    sortFixed,
    isFiltered:
      isSearch || filters.status !== "all" || filters.kind !== "all" || conditions.length > 0,
    clear: () => change({ search: "", status: "all", kind: "all", filter: "" }),
    variables: isTooWide(conditions)
      ? null
      : {
          search: search || null,
          filter: toUserFilter(conditions),
          blocked,
          guest,
          sort: isSearch ? null : { [isDescending ? "desc" : "asc"]: sort },
        },
  };
}

/** A choice of three as the service takes it: yes, no, or null for both. */
function choiceOf(value: string, yes: string, no: string): boolean | null {
  if (value === yes) return true;
  return value === no ? false : null;
}

function fixedOrder(
  isSearch: boolean,
  conditions: readonly Condition[],
  isSubset: boolean | null,
): string | null {
  if (isSearch) return texts.sortFixedSearch;
  return isSubset && conditions.length === 0 ? texts.sortFixedKind : null;
}

function sortsFor(isFixed: boolean, conditions: readonly Condition[]): readonly SortField[] {
  if (isFixed) return ["ID"];
  const all = Object.keys(texts.sorts) as SortField[];
  // No index has the users in the order of their tags, so a filter must leave few of them.
  return all.filter((sort) => sort !== "USER_TAGS" || conditions.length > 0);
}
