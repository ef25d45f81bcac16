import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { strings } from "../strings.ts";
import { Consequences } from "./consequences.tsx";
import { CancelButton, Dialog } from "./dialog.tsx";

/**
 * Asks before something is destroyed: says what will be lost, and takes the typed name as the answer.
 * @param onConfirm starts it, as a task if it takes long; the dialog closes
 */
export function DestroyDialog({
  opened,
  onClose,
  title,
  lead = strings.destroy.lost,
  lost,
  name,
  action,
  onConfirm,
}: {
  opened: boolean;
  onClose(): void;
  title: string;
  /** The words before the list, if what is in it can be made again. */
  lead?: string;
  /** What will be lost, one fact a line. */
  lost: readonly string[];
  /** The name to type; without one the button alone confirms. */
  name?: string;
  action: string;
  onConfirm(): void;
}) {
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (!opened) setTyped("");
  }, [opened]);
  const isConfirmed = name === undefined || typed.trim() === name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The button can be clicked a second time while the dialog closes.
    if (!opened || !isConfirmed) return;
    onClose();
    onConfirm();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Consequences lead={lead} lost={lost} />
          {name !== undefined && (
            <TextInput
              label={strings.destroy.type(name)}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <CancelButton isFirst={name === undefined} />
            <Button type="submit" color="red" disabled={!isConfirmed}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
