import { Button, Group, Select } from "@mantine/core";
import { DayField } from "../../components/day-field.tsx";
import { strings } from "../../strings.ts";
import type { AuditFiltersState, AuditSubject } from "./audit-filters.ts";
import { ACTIONS, actionLabel } from "./audit-labels.ts";
import { auditStrings } from "./strings.ts";
import type { AuditNames, Choice } from "./use-names.ts";

const texts = auditStrings;

/** Chooses what the list shows: everything or one application, member or kind of change, and its days. */
export function AuditFilterBar({ state, names }: { state: AuditFiltersState; names: AuditNames }) {
  const { filters, subject, isFiltered, showOnly, setDays, clear } = state;
  const groups: Record<AuditSubject, readonly Choice[]> = {
    application: names.applications,
    member: names.members,
    action: ACTIONS.map((action) => ({ value: action, label: actionLabel(action) })),
  };
  if (subject) addMissing(groups, subject);
  const kinds = Object.keys(groups) as AuditSubject[];
  const choose = (chosen: string | null) => {
    const kind = kinds.find((each) => chosen?.startsWith(`${each}:`));
    showOnly(kind && chosen ? { kind, value: chosen.slice(kind.length + 1) } : null);
  };
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={texts.show}
        placeholder={texts.everything}
        data={kinds
          .filter((kind) => groups[kind].length > 0)
          .map((kind) => ({
            group: texts.groups[kind],
            items: groups[kind].map(({ value, label }) => ({ value: `${kind}:${value}`, label })),
          }))}
        value={subject && `${subject.kind}:${subject.value}`}
        onChange={choose}
        nothingFoundMessage={texts.notFound}
        limit={200}
        searchable
        clearable
        clearButtonProps={{ "aria-label": texts.everything }}
        w={{ base: "100%", xs: 320 }}
      />
      <DayField label={texts.from} value={filters.from} onChange={(from) => setDays({ from })} />
      <DayField label={texts.to} value={filters.to} onChange={(to) => setDays({ to })} />
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={clear}>
          {strings.common.clearFilters}
        </Button>
      )}
    </Group>
  );
}

/** What the URL or an entry names may be deleted since: it stays a choice. */
function addMissing(
  groups: Record<AuditSubject, readonly Choice[]>,
  { kind, value }: { kind: AuditSubject; value: string },
): void {
  if (groups[kind].some((choice) => choice.value === value)) return;
  const label = {
    application: texts.applicationById(value),
    member: texts.memberById(value),
    action: actionLabel(value),
  }[kind];
  groups[kind] = [...groups[kind], { value, label }];
}
