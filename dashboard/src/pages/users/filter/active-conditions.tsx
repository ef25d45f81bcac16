import { Group, Pill } from "@mantine/core";
import { formatDateTime } from "../../../formats.ts";
import { usersStrings } from "../strings.ts";
import { type Condition, kindOf, operatorLabel } from "./conditions.ts";

const texts = usersStrings;
/** Values of a condition that are shown. */
const SHOWN_VALUES = 4;

/** A condition in words, such as "Login starts with “anna”". */
function conditionLabel({ field, operator, values }: Condition): string {
  const shown = values
    .slice(0, SHOWN_VALUES)
    .map((value) =>
      kindOf(field) === "time" ? formatDateTime(value) : texts.conditionValue(value),
    );
  if (values.length > SHOWN_VALUES) shown.push("…");
  return texts.condition(
    texts.filterFields[field],
    operatorLabel(field, operator),
    shown.join(", "),
  );
}

/** The conditions that the list has now, each with a button that removes it. */
export function ActiveConditions({
  conditions,
  onChange,
}: {
  conditions: readonly Condition[];
  onChange(conditions: readonly Condition[]): void;
}) {
  if (conditions.length === 0) return null;
  return (
    <Group
      gap="xs"
      component="ul"
      aria-label={texts.filterActive}
      className="plain-list conditions"
    >
      {conditions.map((condition) => {
        const words = conditionLabel(condition);
        return (
          <li key={`${condition.field} ${condition.operator}`}>
            <Pill
              size="md"
              withRemoveButton
              removeButtonProps={{
                "aria-label": texts.filterDrop(words),
                "aria-hidden": false,
                tabIndex: 0,
              }}
              onRemove={() => onChange(conditions.filter((each) => each !== condition))}
            >
              {words}
            </Pill>
          </li>
        );
      })}
    </Group>
  );
}
