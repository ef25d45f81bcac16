import { SegmentedControl, SimpleGrid, Text, TextInput } from "@mantine/core";
import { AddressFields, FormFrame } from "./form-parts.tsx";
import type { CredentialFormProps } from "./set-credentials.tsx";
import { providersStrings } from "./strings.ts";
import { TextFileField } from "./text-file-field.tsx";
import { NO_ADDRESS, replacement, useCredentialForm } from "./use-credential-form.ts";

const texts = providersStrings.apns;
const KINDS = ["TOKEN", "CERTIFICATE"] as const;
/** The name that Apple gives the file of a key: it holds the key's id. */
const KEY_FILE = /^AuthKey_([A-Z0-9]{10})\.p8$/;

/** Credentials for Apple: a key of the developer account, or the certificate of an app. */
export function ApnsForm(props: CredentialFormProps) {
  const { form, ...frame } = useCredentialForm(props, "apns", {
    initialValues: {
      kind: "TOKEN" as (typeof KINDS)[number],
      key: "",
      keyId: "",
      teamId: "",
      certificate: "",
      privateKey: "",
      bundleId: "",
      ...NO_ADDRESS,
    },
    part: ({ kind, key, keyId, teamId, certificate, privateKey, bundleId, baseUrl, ca }) =>
      kind === "TOKEN"
        ? { key, keyId, teamId, bundleId, baseUrl, ca }
        : { certificate, privateKey, bundleId, baseUrl, ca },
  });
  const { kind } = form.values;
  const takeName = (name: string) => {
    const keyId = KEY_FILE.exec(name)?.[1];
    if (keyId !== undefined) form.setFieldValue("keyId", keyId);
  };
  return (
    <FormFrame {...frame} {...replacement(props.scope)}>
      <SegmentedControl
        aria-label={texts.kind}
        fullWidth
        data={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        {...form.getInputProps("kind")}
      />
      <Text size="sm" c="dimmed">
        {texts.kindText[kind]}
      </Text>
      {kind === "TOKEN" ? (
        <>
          <TextFileField
            label={texts.key}
            accept=".p8,.pem,.txt"
            field={form.getInputProps("key")}
            onFile={takeName}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={texts.keyId}
              description={texts.keyIdText}
              autoComplete="off"
              {...form.getInputProps("keyId")}
            />
            <TextInput
              label={texts.teamId}
              description={texts.teamIdText}
              autoComplete="off"
              {...form.getInputProps("teamId")}
            />
          </SimpleGrid>
        </>
      ) : (
        <>
          <TextFileField
            label={texts.certificate}
            description={texts.certificateText}
            accept=".pem,.crt,.cer,.txt"
            field={form.getInputProps("certificate")}
          />
          <TextFileField
            label={texts.privateKey}
            description={texts.privateKeyText}
            accept=".pem,.key,.txt"
            field={form.getInputProps("privateKey")}
          />
        </>
      )}
      <TextInput
        label={kind === "TOKEN" ? texts.bundleId : texts.bundleIdOptional}
        description={texts.bundleIdText}
        autoComplete="off"
        {...form.getInputProps("bundleId")}
      />
      <AddressFields form={form} />
    </FormFrame>
  );
}
