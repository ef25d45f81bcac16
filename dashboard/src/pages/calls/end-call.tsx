import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useRole } from "../../session/use-account.ts";
import { CallDetailsDocument, type CallFieldsFragment, EndCallDocument } from "./call.generated.ts";
import { callStrings } from "./strings.ts";

const texts = callStrings;

/** The button that ends a call that is in progress, for members who may change something. */
export function EndCall({ call: { id, participants } }: { call: CallFieldsFragment }) {
  const { canChange } = useRole();
  const [isAsking, { open, close }] = useDisclosure();
  const { mutateAsync } = useChange(EndCallDocument, [CallDetailsDocument]);
  if (!canChange) return null;
  const end = async () => {
    await mutateAsync({ input: { id } });
    notifications.show({ message: texts.endDone, color: "green" });
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        {texts.end}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title={texts.endTitle}
        action={texts.endSubmit}
        isDestructive
        onConfirm={end}
      >
        <Text size="sm">{texts.endText(participants.length)}</Text>
      </ConfirmDialog>
    </>
  );
}
