import { Center, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What a list shows without entries: what it would hold, and what to do next. */
export function EmptyState({
  title,
  text,
  action,
}: {
  title: string;
  text: string;
  action?: ReactNode;
}) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap="xs" maw={420}>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" ta="center">
          {text}
        </Text>
        {action}
      </Stack>
    </Center>
  );
}
