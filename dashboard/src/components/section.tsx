import { Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of a page with a heading of its own. In a form it groups the fields. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Stack>
        <div className="section-head">
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
          {actions}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
