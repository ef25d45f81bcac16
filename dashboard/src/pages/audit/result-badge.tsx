import { Badge } from "@mantine/core";
import { type AuditEntry, type AuditResult, resultOf } from "./audit-labels.ts";
import { auditStrings } from "./strings.ts";

const COLORS: Readonly<Record<AuditResult, string>> = {
  done: "green",
  refused: "orange",
  failed: "red",
  unknown: "yellow",
};

/** How a change ended, in a word. */
export function ResultBadge({ entry }: { entry: AuditEntry }) {
  const result = resultOf(entry);
  return (
    <Badge variant="light" color={COLORS[result]} tt="none">
      {auditStrings.results[result]}
    </Badge>
  );
}
