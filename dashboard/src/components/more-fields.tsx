import { Button, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { strings } from "../strings.ts";

/** Fields of a form that few need: hidden until somebody asks for them, or one of them has an error. */
export function MoreFields({
  errors,
  names,
  children,
}: {
  /** The errors of the form. */
  errors: Readonly<Record<string, unknown>>;
  /** The names of the fields. */
  names: readonly string[];
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const [seen, setSeen] = useState(errors);
  // While the errors are rendered, so that the form can focus the field at once.
  if (errors !== seen) {
    setSeen(errors);
    if (names.some((name) => errors[name])) setOpen(true);
  }
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => setOpen(!isOpen)}
        aria-expanded={isOpen}
      >
        {isOpen ? strings.common.less : strings.common.more}
      </Button>
      {isOpen && <Stack mt="sm">{children}</Stack>}
    </div>
  );
}
