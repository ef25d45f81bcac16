import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { CancelButton, Dialog, useBusyDialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import {
  type EventFieldsFragment,
  PushDeliveriesDocument,
  PushEventDocument,
  PushEventsDocument,
  StopPushDocument,
} from "./events.generated.ts";
import { pushTitle } from "./push-labels.tsx";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.stop;

/** Asks before a push or a schedule is stopped, and whether what waits is withdrawn as well. */
export function StopDialog({
  event,
  onClose,
}: {
  /** Null while none is to be stopped. */
  event: EventFieldsFragment | null;
  onClose(): void;
}) {
  // The last one stays while the dialog closes.
  const last = useRef(event);
  last.current = event ?? last.current;
  return (
    <Dialog opened={event !== null} onClose={onClose} title={texts.title}>
      {last.current && <Question key={last.current.id} event={last.current} onClose={onClose} />}
    </Dialog>
  );
}

function Question({ event, onClose }: { event: EventFieldsFragment; onClose(): void }) {
  const { id, pendingCount, state } = event;
  const [isWithdrawing, setWithdrawing] = useState(false);
  const { mutate, isPending, error } = useChange(StopPushDocument, [
    PushEventDocument,
    PushEventsDocument,
    PushDeliveriesDocument,
  ]);
  useBusyDialog(isPending);
  const stop = () =>
    mutate(
      { input: { id, withdrawUnsent: isWithdrawing } },
      {
        onSuccess: () => {
          onClose();
          notifications.show({ message: texts.done, color: "green" });
        },
      },
    );
  return (
    <Stack>
      <Text fw={600}>{pushTitle(event)}</Text>
      <Text size="sm">
        {state === "SCHEDULED" ? texts.schedule : texts.sending(pushStrings.devices(pendingCount))}{" "}
        {texts.final}
      </Text>
      {(pendingCount > 0 || state === "SENDING") && (
        <Checkbox
          label={texts.withdraw}
          description={texts.withdrawText}
          checked={isWithdrawing}
          onChange={({ currentTarget }) => setWithdrawing(currentTarget.checked)}
        />
      )}
      {error && <ErrorPanel error={error} />}
      <Group justify="flex-end">
        <CancelButton isFirst />
        <Button color="red" loading={isPending} onClick={stop}>
          {texts.submit}
        </Button>
      </Group>
    </Stack>
  );
}
