import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "react-router";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { strings } from "../../strings.ts";
import { ApplicationsDocument, CreateApplicationDocument } from "./applications.generated.ts";
import { applicationsStrings } from "./strings.ts";

const texts = applicationsStrings;

/** The dialog for a new application. */
export function CreateApplication({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.createTitle}>
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const { form, submit, isSending, error } = useServiceForm({
    document: CreateApplicationDocument,
    initialValues: { name: "" },
    validate: { name: (name: string) => (name.trim() === "" ? texts.nameMissing : null) },
    variables: ({ name }) => ({ input: { name: name.trim() } }),
    outdated: [ApplicationsDocument, CurrentAccountDocument],
    onDone: ({ createApplication: { application } }) => {
      onClose();
      notifications.show({ message: texts.created(application.name), color: "green" });
      void navigate(`/applications/${application.id}/settings`);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.createText}</Text>
        <TextInput
          label={texts.name}
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("name")}
        />
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" loading={isSending}>
            {strings.common.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
