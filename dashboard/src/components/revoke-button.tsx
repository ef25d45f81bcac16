import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** The texts of a {@link RevokeButton}. */
interface RevokeTexts {
  revoke: string;
  revokeOf(name: string): string;
  revokeTitle: string;
  revokeText(name: string): string;
  revokeSubmit: string;
}

/** The button of a row that revokes what the row shows, after a dialog has said what it means. */
export function RevokeButton({
  name,
  texts,
  onRevoke,
  children,
}: {
  name: string;
  texts: RevokeTexts;
  /** Revokes it, and returns the message to show. */
  onRevoke(): Promise<string>;
  /** Options of the dialog. */
  children?: ReactNode;
}) {
  const [isAsking, { open, close }] = useDisclosure();
  const revoke = async () => {
    notifications.show({ message: await onRevoke(), color: "green" });
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={texts.revokeOf(name)}>
        {texts.revoke}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title={texts.revokeTitle}
        action={texts.revokeSubmit}
        isDestructive
        onConfirm={revoke}
      >
        <Text size="sm">{texts.revokeText(name)}</Text>
        {children}
      </ConfirmDialog>
    </>
  );
}
