import { BarsArrowDownIcon, BarsArrowUpIcon, FunnelIcon } from "@heroicons/react/24/outline";
import { ActionIcon, Button, Collapse, Group, Select, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRef } from "react";
import { SearchField } from "../../components/search-field.tsx";
import { ActiveConditions } from "./filter/active-conditions.tsx";
import { FilterPanel } from "./filter/filter-panel.tsx";
import { usersStrings } from "./strings.ts";
import type { UserListState } from "./use-user-list.ts";

const texts = usersStrings;

/** What the list shows and in which order: search, status, kind, order, and the filter with its conditions. */
export function ListControls({ state }: { state: UserListState }) {
  const { filters, change, conditions, setConditions } = state;
  const [isOpen, { toggle, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  const leave = () => {
    close();
    button.current?.focus();
  };
  return (
    <Stack gap="sm">
      <div className="user-controls">
        <SearchField
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={filters.search}
          onChange={(search) => change({ search })}
        />
        <Choice
          label={texts.status}
          choices={texts.statuses}
          value={filters.status}
          onChange={(status) => change({ status })}
        />
        <Choice
          label={texts.kind}
          choices={texts.kinds}
          value={filters.kind}
          onChange={(kind) => change({ kind })}
        />
        <Order state={state} />
        <Button
          ref={button}
          variant="default"
          onClick={toggle}
          aria-expanded={isOpen}
          leftSection={<FunnelIcon width={18} aria-hidden />}
        >
          {conditions.length > 0 ? texts.filterCount(conditions.length) : texts.filter}
        </Button>
      </div>
      <Collapse in={isOpen}>
        {/* A new panel begins with the conditions of the list. */}
        {isOpen && (
          <FilterPanel
            conditions={conditions}
            onApply={(next) => {
              leave();
              setConditions(next);
            }}
            onCancel={leave}
          />
        )}
      </Collapse>
      {!isOpen && <ActiveConditions conditions={conditions} onChange={setConditions} />}
      {!isOpen && conditions.some(({ operator }) => operator === "startWith") && (
        <Text size="sm" c="dimmed">
          {texts.fewEntries}
        </Text>
      )}
    </Stack>
  );
}

function Choice({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: Readonly<Record<string, string>>;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <Select
      aria-label={label}
      data={Object.entries(choices).map(([name, words]) => ({ value: name, label: words }))}
      value={value in choices ? value : "all"}
      onChange={(chosen) => onChange(chosen ?? "all")}
      allowDeselect={false}
    />
  );
}

function Order({ state }: { state: UserListState }) {
  const { sorts, sort, isDescending, isSearch, sortFixed, change } = state;
  const label = isDescending ? texts.descending : texts.ascending;
  const Icon = isDescending ? BarsArrowDownIcon : BarsArrowUpIcon;
  const select = (
    <Select
      aria-label={sortFixed ?? texts.sort}
      data={sorts.map((value) => ({
        value,
        label: isSearch ? texts.sortSearch : texts.sorts[value],
      }))}
      value={sort}
      onChange={(chosen) => change({ sort: chosen ?? "ID" })}
      allowDeselect={false}
      readOnly={sortFixed !== null}
      flex={1}
      miw={0}
    />
  );
  return (
    <Group gap={4} wrap="nowrap">
      {sortFixed === null ? select : <Tooltip label={sortFixed}>{select}</Tooltip>}
      <Tooltip label={label}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={label}
          disabled={isSearch}
          onClick={() => change({ order: isDescending ? "asc" : "desc" })}
        >
          <Icon width={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
