import { XMarkIcon } from "@heroicons/react/24/outline";
import { ActionIcon, Select, TagsInput, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { usersStrings } from "../strings.ts";
import {
  type Condition,
  FIELDS,
  type FilterField,
  type FilterOperator,
  kindOf,
  OPERATORS_OF,
  operatorLabel,
  takesList,
} from "./conditions.ts";
import { TimeInputs } from "./time-inputs.tsx";

const texts = usersStrings;
const FIELD_CHOICES = FIELDS.map((value) => ({ value, label: texts.filterFields[value] }));
/** The service's limit of values. */
const VALUES_MAX = 1_000;

/** A condition that is being written. */
export interface DraftCondition extends Condition {
  key: number;
}

/** Field, comparison and value of a condition. */
export function ConditionRow({
  number,
  draft,
  problem,
  autoFocus,
  onChange,
  onRemove,
}: {
  /** Position in the list, from 1, which names the inputs for screen readers. */
  number: number;
  draft: DraftCondition;
  problem: string | undefined;
  /** Whether a row that appears takes the focus. */
  autoFocus: boolean;
  onChange(draft: DraftCondition): void;
  onRemove(): void;
}) {
  const operators = OPERATORS_OF[kindOf(draft.field)];
  const chooseField = (field: FilterField) => {
    const allowed = OPERATORS_OF[kindOf(field)];
    const [usual = draft.operator] = allowed;
    const operator = allowed.includes(draft.operator) ? draft.operator : usual;
    const keepsValues = kindOf(field) === kindOf(draft.field);
    onChange({ ...draft, field, operator, values: keepsValues ? draft.values : [] });
  };
  const chooseOperator = (operator: FilterOperator) => {
    const values = takesList(operator) ? draft.values : draft.values.slice(0, 1);
    onChange({ ...draft, operator, values });
  };
  return (
    <div className="condition">
      <Select
        aria-label={texts.filterField(number)}
        data={FIELD_CHOICES}
        value={draft.field}
        onChange={(field) => field && chooseField(field as FilterField)}
        allowDeselect={false}
      />
      <Select
        className="condition-operator"
        aria-label={texts.filterOperator(number)}
        data={operators.map((value) => ({ value, label: operatorLabel(draft.field, value) }))}
        value={draft.operator}
        onChange={(operator) => operator && chooseOperator(operator as FilterOperator)}
        allowDeselect={false}
      />
      <ValueInput
        number={number}
        draft={draft}
        problem={problem}
        autoFocus={autoFocus}
        onChange={(values) => onChange({ ...draft, values })}
      />
      <ActionIcon
        className="condition-remove"
        variant="subtle"
        color="gray"
        size={36}
        aria-label={texts.filterRemove(number)}
        onClick={onRemove}
      >
        <XMarkIcon width={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}

function ValueInput({
  number,
  draft: { field, operator, values },
  problem,
  autoFocus,
  onChange,
}: {
  number: number;
  draft: DraftCondition;
  problem: string | undefined;
  autoFocus: boolean;
  onChange(values: readonly string[]): void;
}) {
  const input = useRef<HTMLInputElement>(null);
  // A new condition begins at its value; later changes of the row leave the focus alone.
  const takesFocus = useRef(autoFocus);
  useEffect(() => {
    if (takesFocus.current) input.current?.focus();
  }, []);
  if (kindOf(field) === "time") {
    const isList = takesList(operator);
    return (
      <TimeInputs
        key={String(isList)}
        {...{ number, values, isList, onChange }}
        error={problem}
        inputRef={input}
      />
    );
  }
  const common = {
    "aria-label": texts.filterValue(number),
    error: problem,
    ref: input,
    className: "condition-value",
  };
  const [value = ""] = values;
  if (takesList(operator)) {
    return (
      <TagsInput
        {...common}
        placeholder={values.length === 0 ? texts.filterValuesHint : undefined}
        value={[...values]}
        onChange={onChange}
        splitChars={[","]}
        maxTags={VALUES_MAX}
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={texts.filterValueHint}
      inputMode={kindOf(field) === "number" ? "numeric" : undefined}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === "" ? [] : [currentTarget.value])
      }
    />
  );
}
