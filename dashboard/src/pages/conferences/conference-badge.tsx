import { Badge } from "@mantine/core";
import { conferencesStrings } from "./strings.ts";

const COLORS = { live: "green", empty: "blue", closed: "gray" } as const;

/** Whether a conference is open, and whether somebody is in. */
export function ConferenceBadge({ isClosed, members }: { isClosed: boolean; members: number }) {
  const status = isClosed ? "closed" : members > 0 ? "live" : "empty";
  return (
    <Badge variant="light" color={COLORS[status]} tt="none">
      {conferencesStrings.statuses[status]}
    </Badge>
  );
}
