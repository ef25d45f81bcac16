import { startOfDay } from "../../components/days.ts";
import { useUrlFilters } from "../../components/url-filters.ts";
import type { AuditEntriesQueryVariables } from "./audit.generated.ts";

/** Filters of the log in the URL. One of application, member and action at most: the service takes one. */
export interface AuditFilters extends Record<string, string> {
  application: string;
  member: string;
  action: string;
  /** Days of the browser's time zone, such as 2026-11-27. */
  from: string;
  to: string;
}

const NO_FILTERS: AuditFilters = { application: "", member: "", action: "", from: "", to: "" };

/** What the entries are about: everything, or one application, member or kind of change. */
export type AuditSubject = "application" | "member" | "action";
const SUBJECTS = ["application", "member", "action"] as const;

/** The filters of the log, and what changes them. */
export interface AuditFiltersState {
  filters: AuditFilters;
  isFiltered: boolean;
  subject: { kind: AuditSubject; value: string } | null;
  /** Shows the entries of one subject only, or with null of all. */
  showOnly(subject: { kind: AuditSubject; value: string } | null): void;
  setDays(days: { from?: string; to?: string }): void;
  clear(): void;
}

/** The filters of the URL. */
export function useAuditFilters(): AuditFiltersState {
  const [filters, change] = useUrlFilters(NO_FILTERS);
  const kind = SUBJECTS.find((each) => filters[each] !== "");
  return {
    filters,
    isFiltered: Object.values(filters).some((value) => value !== ""),
    subject: kind === undefined ? null : { kind, value: filters[kind] },
    showOnly: (subject) =>
      change({
        application: "",
        member: "",
        action: "",
        ...(subject && { [subject.kind]: subject.value }),
      }),
    setDays: (days) => change(days),
    clear: () => change(NO_FILTERS),
  };
}

/** The filters as variables of the query. */
export function auditVariables(filters: AuditFilters): AuditEntriesQueryVariables {
  const kind = SUBJECTS.find((each) => filters[each] !== "");
  return {
    ...(kind === "application" && { applicationId: filters.application }),
    ...(kind === "member" && { memberId: filters.member }),
    ...(kind === "action" && { action: filters.action }),
    ...(filters.from && { since: startOfDay(filters.from, 0) }),
    ...(filters.to && { until: startOfDay(filters.to, 1) }),
  };
}
