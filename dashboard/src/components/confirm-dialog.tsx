import { Button, Group, Stack } from "@mantine/core";
import type { SignalboxError } from "@signalbox/client";
import { type FormEvent, type ReactNode, useState } from "react";
import { asServiceError } from "../api/errors.ts";
import { CancelButton, Dialog, useBusyDialog } from "./dialog.tsx";
import { ErrorPanel } from "./error-panel.tsx";

/** How a dialog asks. */
interface ConfirmDialogProps {
  opened: boolean;
  onClose(): void;
  title: string;
  /** The button that confirms. */
  action: string;
  isDestructive?: boolean;
  /** The dialog stays open until it is done, and shows its error. */
  onConfirm(): Promise<unknown>;
  /** What will happen. */
  children: ReactNode;
}

/** Asks before a change that is short: the answer of the service appears in the dialog. */
export function ConfirmDialog({ opened, onClose, title, ...question }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Question onClose={onClose} {...question} />
    </Dialog>
  );
}

function Question({
  onClose,
  action,
  isDestructive = false,
  onConfirm,
  children,
}: Omit<ConfirmDialogProps, "opened" | "title">) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<SignalboxError | null>(null);
  useBusyDialog(isSending);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(asServiceError(problem));
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {children}
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton isFirst />
          <Button type="submit" color={isDestructive ? "red" : undefined} loading={isSending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
