import { Button, Group, Select } from "@mantine/core";
import { DayField } from "../../components/day-field.tsx";
import { strings } from "../../strings.ts";
import { CALL_STATES, type CallFiltersState } from "./call-filters.ts";
import { callsStrings } from "./strings.ts";
import { UserFilter } from "./user-filter.tsx";

const texts = callsStrings;

/** Chooses which calls the list shows: by state, user and days. */
export function CallFilterBar({ state }: { state: CallFiltersState }) {
  const { filters, isFiltered, change, clear } = state;
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={texts.filterStatus}
        data={[
          { value: "", label: texts.allStatuses },
          { value: "live", label: texts.liveOnly },
          ...CALL_STATES.map((value) => ({ value, label: texts.states[value] })),
        ]}
        value={filters.status}
        onChange={(status) => change({ status: status ?? "" })}
        allowDeselect={false}
        w={{ base: "100%", xs: 200 }}
      />
      <UserFilter userId={filters.user} onChange={(user) => change({ user })} />
      <DayField label={texts.from} value={filters.from} onChange={(from) => change({ from })} />
      <DayField label={texts.until} value={filters.to} onChange={(to) => change({ to })} />
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={clear}>
          {strings.common.clearFilters}
        </Button>
      )}
    </Group>
  );
}
