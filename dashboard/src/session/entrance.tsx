import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Mark } from "../shell/mark.tsx";
import { strings } from "../strings.ts";

/** A page for somebody who is not signed in: one form in the middle. */
export function Entrance({
  title,
  lead,
  children,
}: {
  title: string;
  lead: string;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = strings.documentTitle(title);
  }, [title]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={420}>
        <Stack gap="lg">
          <div>
            <Mark size={40} />
            <Title order={1} size="h2" mt="sm">
              {title}
            </Title>
            <Text c="dimmed">{lead}</Text>
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
