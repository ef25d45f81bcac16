import { Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of a page that is a list, which has a frame of its own. */
export function ListSection({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <div>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {lead && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  );
}
