import { Button, Checkbox, Group, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { CancelButton } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { MoreFields } from "../../components/more-fields.tsx";
import type { ServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import { providersStrings } from "./strings.ts";
import { type AddressValues, NO_ADDRESS } from "./use-credential-form.ts";

const texts = providersStrings.form;

/** The fields of a form, its error and its buttons, and the question before it replaces something. */
export function FormFrame({
  submit,
  isSending,
  error,
  question,
  title,
  lost,
  children,
}: Pick<ServiceForm<object>, "submit" | "isSending" | "error" | "question"> & {
  /** What the question is. */
  title: string;
  /** What would be lost. */
  lost: readonly string[];
  children: ReactNode;
}) {
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Stack>
          {children}
          {error && <ErrorPanel error={error} />}
          <Group justify="flex-end">
            <CancelButton />
            <Button type="submit" loading={isSending}>
              {strings.common.save}
            </Button>
          </Group>
        </Stack>
      </form>
      <DestroyDialog
        {...question}
        title={title}
        lost={lost}
        action={providersStrings.replaceSubmit}
      />
    </>
  );
}

/** What few applications need: another address of the service, and saving without asking it. */
export function AddressFields<Values extends AddressValues>({
  form,
  hasAddress = true,
}: {
  form: UseFormReturnType<Values>;
  hasAddress?: boolean;
}) {
  return (
    <MoreFields errors={form.errors} names={Object.keys(NO_ADDRESS)}>
      {hasAddress && (
        <TextInput
          label={texts.baseUrl}
          description={texts.baseUrlText}
          autoComplete="off"
          {...form.getInputProps("baseUrl")}
        />
      )}
      <Textarea
        label={texts.ca}
        description={texts.caText}
        autosize
        minRows={2}
        maxRows={5}
        spellCheck={false}
        classNames={{ input: "mono" }}
        {...form.getInputProps("ca")}
      />
      <Checkbox
        label={texts.skipCheck}
        description={texts.skipCheckText}
        {...form.getInputProps("skipCheck", { type: "checkbox" })}
      />
    </MoreFields>
  );
}
