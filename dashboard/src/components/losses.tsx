import { List, Text } from "@mantine/core";

/** What will be lost, one fact a line. @param lead the words before the list */
export function Losses({ lead, lost }: { lead: string; lost: readonly string[] }) {
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
