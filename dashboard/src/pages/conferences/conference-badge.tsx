import { Badge } from "@mantine/core";
import { conferencesStrings } from "./strings.ts";

const COLORS = { live: "green", empty: "blue", closed: "gray" } as const;

/** Whether a conference is open, and whether somebody is in. */
export function ConferenceBadge({
  isClosed,
  participants,
}: {
  isClosed: boolean;
  participants: number;
}) {
  const status = isClosed ? "closed" : participants > 0 ? "live" : "empty";
  return (
    <Badge variant="light" color={COLORS[status]} tt="none">
      {conferencesStrings.statuses[status]}
    </Badge>
  );
}
