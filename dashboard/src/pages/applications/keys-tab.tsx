import { Button, Group, Paper, Select, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { session } from "../../api/session.ts";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SecretField } from "../../components/secret-field.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { formatDateTime } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { ApiKeys } from "./api-keys.tsx";
import {
  ApplicationSecretDocument,
  ApplicationSettingsDocument,
  RotateSecretDocument,
  type SettingsFieldsFragment,
} from "./application.generated.ts";
import { applicationStrings } from "./strings.ts";

const texts = applicationStrings;
/** Overlap that the service takes by default, in seconds. */
const DAY = "86400";

/** The keys of an application. The secret is read when it is shown, and not by members who may not see it. */
export function KeysTab({ application }: { application: SettingsFieldsFragment }) {
  const { id, authKey, accountKey, previousSecretValidUntil: until } = application;
  const { canChange } = useRole();
  const [isRotating, { open, close }] = useDisclosure();
  const [rotations, setRotations] = useState(0);
  const readSecret = async () => {
    const { application: read } = await session.connection.query(ApplicationSecretDocument, { id });
    // Null for support, which sees no button to ask for it.
    return read.authSecret ?? "";
  };
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed" maw={720}>
        {texts.keysText}
      </Text>
      <Paper withBorder p="lg" maw={720}>
        <Stack>
          <SecretField label={texts.authKey} description={texts.authKeyText} value={authKey} />
          {canChange && (
            // A new secret must not look like the old one.
            <SecretField
              key={rotations}
              label={texts.authSecret}
              description={texts.authSecretText}
              value={readSecret}
            />
          )}
          {until && <Text size="sm">{texts.previousUntil(formatDateTime(until))}</Text>}
          {canChange && (
            <Group>
              <Button variant="default" onClick={open}>
                {texts.rotate}
              </Button>
            </Group>
          )}
          <SecretField
            label={texts.accountKey}
            description={texts.accountKeyText}
            value={accountKey}
          />
        </Stack>
      </Paper>
      <ApiKeys applicationId={id} />
      <Dialog opened={isRotating} onClose={close} title={texts.rotateTitle}>
        <RotateForm
          applicationId={id}
          onClose={close}
          onDone={() => setRotations((count) => count + 1)}
        />
      </Dialog>
    </Stack>
  );
}

function RotateForm({
  applicationId,
  onClose,
  onDone,
}: {
  applicationId: string;
  onClose(): void;
  onDone(): void;
}) {
  const { form, submit, isSending, error } = useServiceForm({
    document: RotateSecretDocument,
    initialValues: { overlapSeconds: DAY },
    variables: ({ overlapSeconds }) => ({
      input: { applicationId, overlapSeconds: Number(overlapSeconds) },
    }),
    outdated: [ApplicationSettingsDocument],
    onDone: () => {
      onDone();
      onClose();
      notifications.show({ message: texts.rotated, color: "green" });
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{texts.rotateText}</Text>
        <Select
          label={texts.overlap}
          data={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps("overlapSeconds")}
        />
        {form.values.overlapSeconds === "0" && (
          <Text size="sm" c="red" role="alert">
            {texts.rotateNow}
          </Text>
        )}
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" loading={isSending}>
            {texts.rotateSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
