import { NoSymbolIcon } from "@heroicons/react/24/outline";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../../api/queries.ts";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { formatDateTime } from "../../../formats.ts";
import { ApplicationUsersDocument } from "../users.generated.ts";
import { BlockDialog } from "./block-dialog.tsx";
import { userStrings } from "./strings.ts";
import { UnblockUserDocument, UserDocument } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** Since when a user is blocked and why, with the way back. */
export function BlockNotice({ of }: { of: UserRef }) {
  const { applicationId, user, name, canChange } = of;
  const [isChanging, { open, close }] = useDisclosure();
  const { mutate, isPending, error } = useChange(UnblockUserDocument, [
    UserDocument,
    ApplicationUsersDocument,
  ]);
  if (!user.blockedAt) return null;
  const unblock = () =>
    mutate(
      { input: { applicationId, userId: user.id } },
      {
        onSuccess: () => notifications.show({ message: texts.unblocked(name), color: "green" }),
      },
    );
  return (
    <Alert
      color="red"
      variant="light"
      title={texts.blockedSince(formatDateTime(user.blockedAt))}
      icon={<NoSymbolIcon aria-hidden />}
    >
      <Stack gap="sm">
        <Text size="sm" className="breakable">
          {user.blockReason || texts.noReason}
        </Text>
        {error && <ErrorPanel error={error} />}
        {canChange && (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={unblock} loading={isPending}>
              {texts.unblock}
            </Button>
            <Button size="xs" variant="default" onClick={open}>
              {texts.changeReason}
            </Button>
          </Group>
        )}
      </Stack>
      <BlockDialog of={of} opened={isChanging} onClose={close} />
    </Alert>
  );
}
