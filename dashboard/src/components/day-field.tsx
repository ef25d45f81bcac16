import { TextInput } from "@mantine/core";
import { useTypedText } from "./use-typed-text.ts";

/** A day of a filter; empty for none. */
export function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(day: string): void;
}) {
  const [typed, type] = useTypedText(value, onChange);
  return (
    <TextInput
      type="date"
      label={label}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      flex={{ base: 1, xs: "none" }}
      miw={140}
    />
  );
}
