import { Alert, SegmentedControl, TextInput } from "@mantine/core";
import { AddressFields, FormFrame } from "./form-parts.tsx";
import type { CredentialFormProps } from "./set-credentials.tsx";
import { providersStrings } from "./strings.ts";
import { NO_ADDRESS, replacement, useCredentialForm } from "./use-credential-form.ts";

const texts = providersStrings.web;
const KEYS = ["generate", "own"] as const;

/** Credentials for browsers: a key pair, which is generated or pasted, and a contact. */
export function WebForm(props: CredentialFormProps) {
  const { form, ...frame } = useCredentialForm(props, "web", {
    initialValues: {
      keys: "generate" as (typeof KEYS)[number],
      privateKey: "",
      publicKey: "",
      subject: "",
      ...NO_ADDRESS,
    },
    part: ({ keys, privateKey, publicKey, subject, ca }) => ({
      ...(keys === "generate" ? { generate: true } : { privateKey, publicKey }),
      subject,
      ca,
    }),
  });
  const isOwn = form.values.keys === "own";
  return (
    <FormFrame {...frame} {...replacement(props.scope)}>
      {props.isSet && (
        <Alert color="orange" variant="light" p="sm">
          {texts.replaces}
        </Alert>
      )}
      <SegmentedControl
        aria-label={texts.keys}
        fullWidth
        data={KEYS.map((value) => ({ value, label: texts.keyChoices[value] }))}
        {...form.getInputProps("keys")}
      />
      {isOwn && (
        <>
          <TextInput
            label={texts.privateKey}
            description={texts.privateKeyText}
            autoComplete="off"
            classNames={{ input: "mono" }}
            {...form.getInputProps("privateKey")}
          />
          <TextInput
            label={texts.publicKey}
            autoComplete="off"
            classNames={{ input: "mono" }}
            {...form.getInputProps("publicKey")}
          />
        </>
      )}
      <TextInput
        label={texts.subject}
        description={texts.subjectText}
        placeholder={texts.subjectPlaceholder}
        autoComplete="off"
        {...form.getInputProps("subject")}
      />
      <AddressFields form={form} hasAddress={false} />
    </FormFrame>
  );
}
