import { Button, Group, List, Stack, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { CancelButton, Dialog } from "../../../components/dialog.tsx";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { useServiceForm } from "../../../components/use-service-form.ts";
import { strings } from "../../../strings.ts";
import { ApplicationUsersDocument } from "../users.generated.ts";
import { userStrings } from "./strings.ts";
import { BlockUserDocument, UserDocument, UserSessionsDocument } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** Asks for the reason of a block and says what it does; for a blocked user it changes the reason. */
export function BlockDialog({
  of,
  opened,
  onClose,
}: {
  of: UserRef;
  opened: boolean;
  onClose(): void;
}) {
  const title = of.user.blockedAt ? texts.reasonTitle : texts.blockTitle(of.name);
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <BlockForm of={of} onClose={onClose} />
    </Dialog>
  );
}

function BlockForm({
  of: { applicationId, user, name },
  onClose,
}: {
  of: UserRef;
  onClose(): void;
}) {
  const isBlocked = Boolean(user.blockedAt);
  const { form, submit, isSending, error } = useServiceForm({
    document: BlockUserDocument,
    initialValues: { reason: user.blockReason ?? "" },
    variables: ({ reason }) => ({
      input: { applicationId, userId: user.id, reason: reason.trim() || null },
    }),
    outdated: [UserDocument, ApplicationUsersDocument, UserSessionsDocument],
    onDone: () => {
      onClose();
      const message = isBlocked ? texts.reasonSaved : texts.blocked(name);
      notifications.show({ message, color: "green" });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {!isBlocked && (
          <List size="sm" spacing={4} withPadding>
            {texts.blockText.map((each) => (
              <List.Item key={each}>{each}</List.Item>
            ))}
          </List>
        )}
        <Textarea
          label={texts.blockReason}
          description={texts.blockReasonText}
          autosize
          minRows={2}
          maxRows={6}
          data-autofocus
          {...form.getInputProps("reason")}
        />
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" color={isBlocked ? undefined : "red"} loading={isSending}>
            {isBlocked ? strings.common.save : texts.blockSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
