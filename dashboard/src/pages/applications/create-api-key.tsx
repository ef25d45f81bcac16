import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SecretField } from "../../components/secret-field.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import { type ApiKeyScope, ApiKeysDocument, CreateApiKeyDocument } from "./api-keys.generated.ts";
import { apiKeyStrings } from "./strings.ts";

const texts = apiKeyStrings;
const SCOPES: readonly ApiKeyScope[] = ["SESSIONS", "USERS", "PUSH"];
const DAY_MS = 86_400_000;

/** The dialog that creates an API key and then shows it, this once. */
export function CreateApiKey({
  applicationId,
  opened,
  onClose,
}: {
  applicationId: string;
  opened: boolean;
  onClose(): void;
}) {
  const [key, setKey] = useState<string | null>(null);
  const close = () => {
    setKey(null);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={texts.createTitle}>
      {key === null ? (
        <CreateForm applicationId={applicationId} onDone={setKey} />
      ) : (
        <Stack>
          <SecretField label={texts.key} description={texts.keyText} value={key} />
          <Group justify="flex-end">
            <Button onClick={close} data-autofocus>
              {strings.common.close}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function CreateForm({
  applicationId,
  onDone,
}: {
  applicationId: string;
  onDone(key: string): void;
}) {
  const { form, submit, isSending, error } = useServiceForm({
    document: CreateApiKeyDocument,
    initialValues: { name: "", scopes: [] as ApiKeyScope[], expiresAt: "" },
    validate: {
      name: (name: string) => (name.trim() === "" ? texts.nameMissing : null),
      scopes: (scopes: ApiKeyScope[]) => (scopes.length === 0 ? texts.scopesMissing : null),
    },
    variables: ({ name, scopes, expiresAt: days }) => ({
      input: {
        applicationId,
        name: name.trim(),
        scopes,
        expiresAt: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
      },
    }),
    outdated: [ApiKeysDocument],
    onDone: ({ createApiKey }) => onDone(createApiKey.key),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.createText}</Text>
        <TextInput
          label={texts.name}
          description={texts.nameText}
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Checkbox.Group label={texts.scopes} required {...form.getInputProps("scopes")}>
          <Stack gap="xs" mt="xs">
            {SCOPES.map((value) => {
              const [label, description] = texts.scopeNames[value];
              return <Checkbox key={value} value={value} label={label} description={description} />;
            })}
          </Stack>
        </Checkbox.Group>
        <Select
          label={texts.expires}
          data={Object.entries(texts.lifetimes).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps("expiresAt")}
        />
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" loading={isSending}>
            {texts.createSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
