import { Text } from "@mantine/core";
import { formatDateTime, formatRelative } from "../../formats.ts";
import { strings } from "../../strings.ts";

/** The cell of a value that is not there. */
export function Missing({ text = strings.common.none }: { text?: string }) {
  return (
    <Text span size="sm" c="dimmed">
      {text}
    </Text>
  );
}

/** How far a time is from now, with the exact time when somebody points at it. */
export function Moment({ time }: { time: string | null | undefined }) {
  if (!time) return <Missing text={strings.common.never} />;
  return (
    <span className="no-wrap" title={formatDateTime(time)}>
      {formatRelative(time)}
    </span>
  );
}
