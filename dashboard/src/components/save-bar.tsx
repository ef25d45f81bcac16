import { Button, Group, Paper, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { strings } from "../strings.ts";
import { useUnsaved } from "./unsaved.ts";

/**
 * The bar of a form with changes that are not saved: it stays in sight below a long form, and the page asks before it is
 * left.
 */
export function SaveBar<Values>({
  form,
  isSending,
}: {
  form: UseFormReturnType<Values>;
  isSending: boolean;
}) {
  const isDirty = form.isDirty();
  useUnsaved(isDirty);
  if (!isDirty) return null;
  return (
    <Paper withBorder shadow="md" p="sm" mt="lg" className="save-bar">
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {strings.common.unsaved}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={() => form.reset()} disabled={isSending}>
            {strings.common.discard}
          </Button>
          <Button type="submit" loading={isSending}>
            {strings.common.save}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
