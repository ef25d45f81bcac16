import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { SignalboxError } from "@signalbox/client";
import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useChange } from "../../api/queries.ts";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { forgetUnsaved } from "../../components/unsaved.ts";
import { formatDateTime } from "../../formats.ts";
import { type CreatePushEventInput, SendPushDocument } from "./compose.generated.ts";
import { PushEventsDocument } from "./events.generated.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new;

/** A key that no other push has. Pages that are not served securely have no randomUUID. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The key of a push: the same for each attempt to send the same, so that it is sent once however often somebody clicks
 * and whatever the network loses.
 */
function useSendKey(): (input: CreatePushEventInput) => string {
  const last = useRef({ push: "", key: "" });
  return (input) => {
    const push = JSON.stringify(input);
    if (last.current.push !== push) last.current = { push, key: newKey() };
    return last.current.key;
  };
}

/** Asks once more before a push is sent or scheduled, and then shows it. */
export function SendDialog({
  input,
  reach,
  list,
  onClose,
  onRefused,
}: {
  /** Null while nothing is to be sent. */
  input: CreatePushEventInput | null;
  /** Whom it reaches now; null if it is not known. */
  reach: string | null;
  /** Path of the pushes. */
  list: string;
  onClose(): void;
  /** Shows the reasons at the fields. @returns what belongs to no field */
  onRefused(error: SignalboxError): SignalboxError | null;
}) {
  const navigate = useNavigate();
  const keyOf = useSendKey();
  const [error, setError] = useState<SignalboxError | null>(null);
  const { mutate, isPending } = useChange(SendPushDocument, [PushEventsDocument]);
  const last = useRef(input);
  last.current = input ?? last.current;
  const shown = last.current;
  if (!shown) return null;
  const isNow = shown.eventType === "ONE_SHOT";
  const send = () => {
    setError(null);
    mutate(
      { input: shown, idempotencyKey: keyOf(shown) },
      {
        onSuccess: ({ createPushEvent: { events } }) => {
          notifications.show({ message: isNow ? texts.sent : texts.scheduled, color: "green" });
          forgetUnsaved();
          void navigate(`${list}/${events.map(({ id }) => id).join(",")}`);
        },
        onError: (problem) => setError(onRefused(problem)),
      },
    );
  };
  const close = () => {
    setError(null);
    onClose();
  };
  return (
    <Dialog
      opened={input !== null}
      onClose={close}
      isSending={isPending}
      title={isNow ? texts.confirmTitle : texts.confirmSchedule}
    >
      <Stack>
        <Text size="sm">{sentence(shown, reach)}</Text>
        {!isNow && reach !== null && (
          <Text size="sm" c="dimmed">
            {texts.reachLater(reach)}
          </Text>
        )}
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button loading={isPending} onClick={send} data-autofocus>
            {isNow ? texts.confirmSend : texts.confirmScheduleSubmit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** What will happen, in one sentence. */
function sentence(
  { eventType, date, endDate, period }: CreatePushEventInput,
  reach: string | null,
): string {
  if (eventType === "ONE_SHOT") return texts.confirmNow(reach ?? texts.someone);
  const at = formatDateTime(String(date));
  if (eventType === "FIXED_DATE") return texts.confirmAt(at);
  const every = pushStrings.periods[String(period)] ?? "";
  return endDate
    ? texts.confirmPeriodUntil(every, at, formatDateTime(String(endDate)))
    : texts.confirmPeriod(every, at);
}
