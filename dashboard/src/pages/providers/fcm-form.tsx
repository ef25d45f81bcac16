import { Text } from "@mantine/core";
import { AddressFields, FormFrame } from "./form-parts.tsx";
import type { CredentialFormProps } from "./set-credentials.tsx";
import { providersStrings } from "./strings.ts";
import { TextFileField } from "./text-file-field.tsx";
import { NO_ADDRESS, replacement, useCredentialForm } from "./use-credential-form.ts";

const texts = providersStrings.fcm;

/** Credentials for Firebase: the key file of a service account. */
export function FcmForm(props: CredentialFormProps) {
  const { form, ...frame } = useCredentialForm(props, "fcm", {
    initialValues: { serviceAccount: "", ...NO_ADDRESS },
    validate: {
      serviceAccount: (text: string) => (text.trim() === "" ? texts.missing : null),
    },
    part: ({ serviceAccount, baseUrl, ca }) => ({ serviceAccount, baseUrl, ca }),
  });
  return (
    <FormFrame {...frame} {...replacement(props.scope)}>
      <Text size="sm" c="dimmed">
        {texts.text}
      </Text>
      <TextFileField
        label={texts.serviceAccount}
        accept=".json,.txt"
        field={form.getInputProps("serviceAccount")}
      />
      <AddressFields form={form} />
    </FormFrame>
  );
}
