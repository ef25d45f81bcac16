import { List, Text } from "@mantine/core";
import { hasRunningTask } from "../api/tasks.ts";
import { strings } from "../strings.ts";
import { hasUnsaved } from "./unsaved.ts";

/** What will be lost, one fact a line. @param lead the words before the list */
export function Consequences({ lead, lost }: { lead: string; lost: readonly string[] }) {
  return (
    <div>
      <Text fw={600}>{lead}</Text>
      <List size="sm" mt="xs" spacing={4} withPadding>
        {lost.map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
    </div>
  );
}

/** What signing out loses, one fact a line; empty if the page does nothing that it would end. */
export function signOutConsequences(): string[] {
  return [
    ...(hasUnsaved() ? [strings.shell.leaveUnsaved] : []),
    ...(hasRunningTask() ? strings.shell.leaveTasks : []),
  ];
}
