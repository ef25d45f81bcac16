import { Alert, Group, Text, Timeline } from "@mantine/core";
import { EmptyState } from "../../components/empty-state.tsx";
import { Section } from "../../components/section.tsx";
import { formatClock, formatDuration, formatSeconds } from "../../formats.ts";
import { usersStrings } from "../users/strings.ts";
import { userName } from "../users/user-name.ts";
import type { CallFieldsFragment } from "./call.generated.ts";
import { callStrings, callsStrings } from "./strings.ts";

const texts = callStrings;
type Entry = NonNullable<CallFieldsFragment["timeline"]>[number];

/** The colors of signals that start, answer or end a call; others are part of its course. */
const COLORS: Partial<Record<Entry["kind"], string>> = {
  CALL: "blue",
  ACCEPT: "green",
  REJECT: "orange",
  HANG_UP: "red",
};

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1_000;

/** What tells an entry from the others, of which none has an id. */
const keyOf = ({ kind, firstAt, senderId, senderDevice, recipientId, recipientDevice }: Entry) =>
  [kind, firstAt, senderId, senderDevice, recipientId, recipientDevice].join(" ");

/** The signals of a call: what kind, when, from whom to whom. */
export function CallTimeline({ call }: { call: CallFieldsFragment }) {
  const { timelineTruncated, startedAt } = call;
  const timeline = call.timeline ?? [];
  return (
    <Section title={texts.timeline} lead={texts.timelineLead}>
      {timeline.length === 0 && <EmptyState title={texts.noSignals} text={texts.noSignalsText} />}
      <Timeline bulletSize={14} lineWidth={2} aria-label={texts.timeline} role="list" active={-1}>
        {timeline.map((entry) => (
          <Timeline.Item
            key={keyOf(entry)}
            role="listitem"
            bullet={
              <span
                className="signal-bullet"
                style={{ background: `var(--mantine-color-${COLORS[entry.kind] ?? "gray"}-6)` }}
              />
            }
          >
            <Signal entry={entry} call={call} startedAt={startedAt} />
          </Timeline.Item>
        ))}
      </Timeline>
      {timelineTruncated && <Alert color="orange">{texts.truncated}</Alert>}
    </Section>
  );
}

function Signal({
  entry: { kind, count, firstAt, lastAt, senderId, senderDevice, recipientId, recipientDevice },
  call: { participants },
  startedAt,
}: {
  entry: Entry;
  call: CallFieldsFragment;
  startedAt: string;
}) {
  const nameOf = (id: string | null) => {
    if (id === null) return callsStrings.nobody;
    const found = participants.find(({ userId }) => userId === id);
    return found ? userName(found.user) : usersStrings.unnamed(id);
  };
  const length = secondsBetween(firstAt, lastAt);
  return (
    <div className="signal">
      <div>
        <Group gap={6}>
          <Text size="sm" fw={600}>
            {texts.kinds[kind]}
          </Text>
          {count > 1 && (
            <Text size="sm" c="dimmed">
              {texts.times(count)} {length > 0 && texts.over(formatSeconds(length))}
            </Text>
          )}
        </Group>
        <Text size="sm">{texts.way(nameOf(senderId), nameOf(recipientId))}</Text>
        <Text size="xs" c="dimmed">
          {texts.devices(senderDevice ?? texts.unknownDevice, recipientDevice ?? texts.allDevices)}
        </Text>
      </div>
      <div className="signal-time figure">
        <time dateTime={firstAt}>{formatClock(firstAt)}</time>
        <Text size="xs" c="dimmed">
          {texts.after(formatDuration(secondsBetween(startedAt, firstAt)))}
        </Text>
      </div>
    </div>
  );
}
