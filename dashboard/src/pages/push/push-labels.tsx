import { Badge } from "@mantine/core";
import type { EventFieldsFragment } from "./events.generated.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings;
const COLORS = { SCHEDULED: "blue", SENDING: "indigo", FINISHED: "gray" } as const;

/** What a push is called: its name, else what it says. */
export function pushTitle({ name, notification, kind }: EventFieldsFragment): string {
  return texts.calls[kind] ?? (name || notification?.title || notification?.body || texts.noText);
}

/** Who has sent a push. */
export function senderName({ kind, userId }: EventFieldsFragment): string {
  return texts.calls[kind] ?? (userId ? texts.byUser(userId) : texts.byAccount);
}

/** Which users the tags of a push select; null if it was sent to chosen users. */
export function tagLabel({ tagQuery }: EventFieldsFragment): string | null {
  if (!tagQuery) return null;
  const end = tagQuery.indexOf(": ");
  const [by, tags] = [tagQuery.slice(0, end), tagQuery.slice(end + 2)];
  return texts.tags[by]?.(tags.replaceAll(",", ", ")) ?? tagQuery;
}

/** What the reason of an outcome means; null if it is a sentence already. */
export function reasonLabel(reason: string): string | null {
  return texts.reasons.find(([start]) => reason.startsWith(start))?.[1] ?? null;
}

/** Whether something of a push can still change by itself. */
export function isOpen({ state }: EventFieldsFragment): boolean {
  return state !== "FINISHED";
}

/** The state of a push in a word. */
export function StateBadge({ event }: { event: EventFieldsFragment }) {
  const { state, withdrawnAt, stoppedAt } = event;
  const isFinished = state === "FINISHED";
  const ended = withdrawnAt ? texts.withdrawn : stoppedAt ? texts.stopped : null;
  return (
    <Badge
      variant="light"
      tt="none"
      color={isFinished && ended ? "orange" : COLORS[state]}
      miw="max-content"
    >
      {(isFinished && ended) || texts.states[state]}
    </Badge>
  );
}
