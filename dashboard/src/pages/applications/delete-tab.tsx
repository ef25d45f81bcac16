import { Button, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "react-router";
import { runLongChange } from "../../api/tasks.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { forgetUnsaved } from "../../components/unsaved.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { DeleteApplicationDocument, type SettingsFieldsFragment } from "./application.generated.ts";
import { ApplicationsDocument } from "./applications.generated.ts";
import { applicationStrings } from "./strings.ts";

const texts = applicationStrings;

/** Deletes an application: a task, since all users go with it. */
export function DeleteTab({ application: { id, name } }: { application: SettingsFieldsFragment }) {
  const [isAsking, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const start = () => {
    forgetUnsaved();
    void navigate("/applications");
    void runLongChange({
      title: texts.deleteTask(name),
      running: texts.deleteRunning,
      unanswered: texts.deleteUnanswered,
      document: DeleteApplicationDocument,
      variables: { input: { applicationId: id } },
      outdated: [ApplicationsDocument, CurrentAccountDocument],
      onDone: () => texts.deleted(name),
    });
  };
  return (
    <Paper withBorder p="lg" maw={720}>
      <Stack align="flex-start">
        <Text size="sm">{texts.deleteText}</Text>
        <Button color="red" variant="outline" onClick={open}>
          {texts.delete}
        </Button>
      </Stack>
      <DestroyDialog
        opened={isAsking}
        onClose={close}
        title={texts.deleteTitle(name)}
        lost={texts.deleteLost}
        name={name}
        action={texts.deleteSubmit}
        onConfirm={start}
      />
    </Paper>
  );
}
