import { Stack, TextInput } from "@mantine/core";
import { type Ref, useState } from "react";
import { usersStrings } from "../strings.ts";
import { toLocalTime, toUtcTime } from "./local-time.ts";

const texts = usersStrings;

/**
 * The times of a condition, in the browser's time zone. The inputs hold what is typed themselves: the time that is sent
 * has no place for a year that is half typed, whose time zone may have had another offset.
 */
export function TimeInputs({
  number,
  values,
  isList,
  error,
  inputRef,
  onChange,
}: {
  /** Position of the condition in the filter, from 1. */
  number: number;
  /** Those to begin with. */
  values: readonly string[];
  /** Whether several may be typed: an empty input then follows the last one. */
  isList: boolean;
  error: string | undefined;
  /** Of the first input. */
  inputRef: Ref<HTMLInputElement>;
  onChange(values: readonly string[]): void;
}) {
  const [typed, setTyped] = useState(() => values.map(toLocalTime));
  const shown = typed.length === 0 || (isList && typed.at(-1) !== "") ? [...typed, ""] : typed;
  const type = (place: number, text: string) => {
    const next = shown.map((each, index) => (index === place ? text : each));
    setTyped(next);
    onChange(next.flatMap(toUtcTime));
  };
  return (
    <Stack gap="xs" className="condition-value">
      {shown.map((text, index) => (
        <TextInput
          // No input changes its place.
          key={index}
          type="datetime-local"
          step={1}
          aria-label={
            index === 0 ? texts.filterValue(number) : texts.filterOtherValue(number, index + 1)
          }
          error={index === 0 && error}
          ref={index === 0 ? inputRef : undefined}
          value={text}
          onChange={({ currentTarget }) => type(index, currentTarget.value)}
        />
      ))}
    </Stack>
  );
}
