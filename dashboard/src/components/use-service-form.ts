import { type UseFormReturnType, useForm } from "@mantine/form";
import type { Document, SignalboxError } from "@signalbox/client";
import { useEffect, useId, useRef, useState } from "react";
import { formErrors } from "../api/errors.ts";
import { type AnyDocument, useChange } from "../api/queries.ts";
import { useBusyDialog } from "./dialog.tsx";
import { showErrors } from "./show-errors.ts";

/** What a form is made of. */
export interface ServiceFormOptions<Values extends object, Result, Variables> {
  document: Document<Result, Variables>;
  initialValues: Values;
  /** Whether the fields show newer `initialValues`, which somebody else has changed, unless something is typed. */
  follows?: boolean;
  /** What the service puts before the names of the fields in its reasons, such as `apns.`. */
  path?: string;
  /** Reasons that need no request, by field: a value that is missing. Whatever else is checked by the service. */
  validate?: Partial<Record<keyof Values, (value: never, values: Values) => string | null>>;
  /** The variables of the operation. */
  variables(values: Values, changed: (name: keyof Values) => boolean): Variables;
  /** Whether something would be lost, so that the form asks first with {@link ServiceForm.question}. */
  asks?(values: Values): boolean;
  /** Queries whose answers the change makes outdated. */
  outdated?: readonly AnyDocument[];
  onDone(result: Result, values: Values): void;
}

/** A form that runs a mutation. */
export interface ServiceForm<Values extends object> {
  form: UseFormReturnType<Values>;
  submit(event?: React.FormEvent<HTMLFormElement>): void;
  isSending: boolean;
  /** An error that belongs to no field. */
  error: SignalboxError | null;
  /** Properties of the `DestroyDialog` that asks; it stands beside the form, not within it. */
  question: { opened: boolean; onClose(): void; onConfirm(): void };
}

/**
 * A form whose fields have the names of the operation's input, so that the reasons of INVALID appear at the field. What
 * was typed stays there after an error, and while the member signs in again.
 */
export function useServiceForm<Values extends object, Result, Variables>({
  document: operation,
  initialValues,
  follows = false,
  path = "",
  validate = {},
  variables,
  asks,
  outdated = [],
  onDone,
}: ServiceFormOptions<Values, Result, Variables>): ServiceForm<Values> {
  const name = useId().replaceAll(":", "");
  const form = useForm<Values>({
    // Its fields are found by it, beside those of other forms with the same names.
    name,
    initialValues,
    validate: validate as never,
    onSubmitPreventDefault: "always",
  });
  const change = useChange(operation, outdated);
  const [error, setError] = useState<SignalboxError | null>(null);
  const [asked, setAsked] = useState<Values | null>(null);
  const present = JSON.stringify(initialValues);
  const followed = useRef(present);
  const isDirty = form.isDirty();
  useEffect(() => {
    if (!follows || isDirty || followed.current === present) return;
    followed.current = present;
    const values: Values = JSON.parse(present);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
  }, [follows, isDirty, present, form.setInitialValues, form.setValues, form.resetDirty]);
  // Escape only answers the question.
  useBusyDialog(change.isPending || asked !== null);
  const send = (values: Values) => {
    if (change.isPending) return;
    setError(null);
    const sender = document.activeElement;
    const changed = (field: keyof Values) => form.isDirty(field as never);
    change.mutate(variables(values, changed), {
      onSuccess: (result) => onDone(result, values),
      onError: (problem) => {
        const names = Object.keys(values).map((field) => `${path}${field}`);
        const { fields: found, rest } = formErrors(problem, names);
        const fields = Object.fromEntries(
          Object.entries(found).map(([field, reason]) => [field.slice(path.length), reason]),
        );
        setError(rest);
        showErrors(form, fields);
      },
      // The button was disabled, and has lost the focus.
      onSettled: () => setTimeout(() => refocus(sender)),
    });
  };
  return {
    form,
    submit: form.onSubmit(
      (values) => (asks?.(values) ? setAsked(values) : send(values)),
      (errors) => showErrors(form, errors),
    ),
    isSending: change.isPending,
    error,
    question: {
      opened: asked !== null,
      onClose: () => setAsked(null),
      onConfirm: () => asked && send(asked),
    },
  };
}

/**
 * Makes what the service has stored the values of a form. What was typed since they were sent stays, and is not saved yet.
 * @param sent the values that were sent
 */
export function showStored<Values extends object>(
  { setInitialValues, setValues, resetDirty }: UseFormReturnType<Values>,
  stored: Values,
  sent: Values,
): void {
  setInitialValues(stored);
  resetDirty(stored);
  setValues((current) => {
    const isSent = (name: keyof Values) =>
      JSON.stringify(current[name]) === JSON.stringify(sent[name]);
    const names = Object.keys(stored) as (keyof Values)[];
    return Object.fromEntries(
      names.map((each) => [each, isSent(each) ? stored[each] : current[each]]),
    ) as Partial<Values>;
  });
}

/** Gives the focus back to an element, unless another one has it or it is gone. */
function refocus(element: Element | null): void {
  if (document.activeElement !== document.body || !element?.isConnected) return;
  if (element instanceof HTMLElement) element.focus();
}
