import { PlusIcon } from "@heroicons/react/24/outline";
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { strings } from "../../../strings.ts";
import { usersStrings } from "../strings.ts";
import { ConditionRow, type DraftCondition } from "./condition-row.tsx";
import {
  type Condition,
  conditionProblem,
  FIELDS,
  isTooWide,
  kindOf,
  OPERATORS_OF,
} from "./conditions.ts";

const texts = usersStrings;

/** Conditions while they are written: each with a key of its own, since two may be equal for a moment. */
let lastKey = 0;
function draftOf(condition: Condition): DraftCondition {
  lastKey += 1;
  return { ...condition, key: lastKey };
}

/** An empty condition that is not there yet, so that each new one is for another field. */
function newCondition(others: readonly Condition[]): DraftCondition {
  const field = FIELDS.find((each) => others.every((other) => other.field !== each)) ?? "login";
  const [operator = "eq"] = OPERATORS_OF[kindOf(field)];
  return draftOf({ field, operator, values: [] });
}

/** Writes the conditions of the filter. The list changes when they are complete and somebody applies them. */
export function FilterPanel({
  conditions,
  onApply,
  onCancel,
}: {
  conditions: readonly Condition[];
  onApply(conditions: readonly Condition[]): void;
  onCancel(): void;
}) {
  const [drafts, setDrafts] = useState(() =>
    conditions.length > 0 ? conditions.map(draftOf) : [newCondition([])],
  );
  const [problems, setProblems] = useState<ReadonlyMap<number, string>>(new Map());
  const [isWide, setWide] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const remove = (key: number) => {
    setDrafts(drafts.filter((each) => each.key !== key));
    setWide(false);
    add.current?.focus();
  };
  const replace = (changed: DraftCondition) => {
    setDrafts(drafts.map((each) => (each.key === changed.key ? changed : each)));
    setProblems(new Map([...problems].filter(([key]) => key !== changed.key)));
    setWide(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemsOf(drafts);
    const wide = found.size === 0 && isTooWide(drafts);
    setProblems(found);
    setWide(wide);
    if (found.size > 0 || wide) return;
    onApply(drafts.map(({ key: _, ...condition }) => condition));
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" fw={600}>
          {texts.filterTitle}
        </Text>
        {drafts.map((draft, index) => (
          <ConditionRow
            key={draft.key}
            number={index + 1}
            draft={draft}
            problem={problems.get(draft.key)}
            autoFocus={draft.key === drafts.at(-1)?.key}
            onChange={replace}
            onRemove={() => remove(draft.key)}
          />
        ))}
        {isWide && (
          <Alert color="orange" variant="light" role="alert" title={texts.filterTooWideTitle}>
            {texts.filterTooWide}
          </Alert>
        )}
        <Group justify="space-between" gap="sm">
          <Button
            ref={add}
            variant="subtle"
            leftSection={<PlusIcon width={18} aria-hidden />}
            onClick={() => setDrafts([...drafts, newCondition(drafts)])}
          >
            {texts.filterAdd}
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onCancel}>
              {strings.common.cancel}
            </Button>
            <Button type="submit">{texts.filterApply}</Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}

function problemsOf(drafts: readonly DraftCondition[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  const used = new Set<string>();
  for (const draft of drafts) {
    const name = `${draft.field} ${draft.operator}`;
    const problem = conditionProblem(draft) ?? (used.has(name) ? texts.filterTwice : null);
    if (problem !== null) problems.set(draft.key, problem);
    used.add(name);
  }
  return problems;
}
