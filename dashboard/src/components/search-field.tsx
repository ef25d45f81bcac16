import { MagnifyingGlassIcon } from "@heroicons/react/24/outline";
import { TextInput } from "@mantine/core";
import { useTypedText } from "./use-typed-text.ts";

/** Longer texts match no login, no e-mail address and no name. */
const LENGTH_MAX = 255;

/** The search of a list. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange(text: string): void;
}) {
  const [typed, type] = useTypedText(value, onChange);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={LENGTH_MAX}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      leftSection={<MagnifyingGlassIcon width={18} aria-hidden />}
    />
  );
}
