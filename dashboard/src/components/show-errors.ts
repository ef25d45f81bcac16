import type { FormErrors, UseFormReturnType } from "@mantine/form";
import { flushSync } from "react-dom";

/**
 * Shows errors at the fields of a form, and moves the focus to the first one, whose description then reads it out. A
 * hidden part of the form with an error opens before.
 */
export function showErrors<Values extends object>(
  form: UseFormReturnType<Values>,
  errors: FormErrors,
): void {
  flushSync(() => form.setErrors(errors));
  const [name] = Object.keys(errors);
  if (name !== undefined) form.getInputNode(name as never)?.focus();
}
