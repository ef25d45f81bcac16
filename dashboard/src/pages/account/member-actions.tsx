import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { session } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { strings } from "../../strings.ts";
import {
  MembersDocument,
  RemoveMemberDocument,
  UpdateMemberDocument,
} from "./members.generated.ts";
import type { Member } from "./members-tab.tsx";
import { ROLES, RoleField } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;

/** What an owner may do with a member. */
export function MemberActions({ member }: { member: Member }) {
  const { id, email, isCurrent } = member;
  const [isChanging, changing] = useDisclosure();
  const [isRemoving, removing] = useDisclosure();
  const { mutateAsync } = useChange(RemoveMemberDocument, [MembersDocument]);
  const remove = async () => {
    if (isCurrent) {
      // The token ends with the membership: no list can be read again.
      await session.connection.query(RemoveMemberDocument, { input: { id } });
      session.leave();
      return;
    }
    await mutateAsync({ input: { id } });
    notifications.show({ message: texts.removed(email), color: "green" });
  };
  return (
    <Group gap="xs" justify="flex-end" component="span">
      <Button
        variant="default"
        size="xs"
        onClick={changing.open}
        aria-label={texts.changeRoleOf(email)}
      >
        {texts.changeRole}
      </Button>
      <Button
        variant="default"
        size="xs"
        onClick={removing.open}
        aria-label={isCurrent ? texts.leave : texts.removeMember(email)}
      >
        {isCurrent ? texts.leave : texts.remove}
      </Button>
      <Dialog opened={isChanging} onClose={changing.close} title={texts.changeTitle(email)}>
        <RoleForm member={member} onClose={changing.close} />
      </Dialog>
      <ConfirmDialog
        opened={isRemoving}
        onClose={removing.close}
        title={isCurrent ? texts.leaveTitle : texts.removeTitle(email)}
        action={isCurrent ? texts.leaveSubmit : texts.removeSubmit}
        isDestructive
        onConfirm={remove}
      >
        <List size="sm" spacing={6} withPadding>
          {(isCurrent ? texts.leaveLost : texts.removeLost).map((each) => (
            <List.Item key={each}>{each}</List.Item>
          ))}
        </List>
      </ConfirmDialog>
    </Group>
  );
}

function RoleForm({
  member: { id, email, role: current, isCurrent },
  onClose,
}: {
  member: Member;
  onClose(): void;
}) {
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateMemberDocument,
    initialValues: { role: current },
    variables: ({ role }) => ({ input: { id, role } }),
    // An owner may have changed the own role.
    outdated: [MembersDocument, CurrentAccountDocument],
    onDone: (_result, { role }) => {
      onClose();
      notifications.show({
        message: texts.roleChanged(email, strings.roles[role]),
        color: "green",
      });
    },
  });
  const { role } = form.values;
  const isLesser = ROLES.indexOf(role) < ROLES.indexOf(current);
  return (
    <form onSubmit={submit}>
      <Stack>
        <RoleField form={form} />
        <Text size="sm" role="status">
          {role === current && texts.chooseRole}
          {role !== current && !isLesser && texts.greaterRole(isCurrent)}
          {isLesser && texts.lesserRole(isCurrent)}
        </Text>
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button
            type="submit"
            color={isLesser ? "red" : undefined}
            disabled={role === current}
            loading={isSending}
          >
            {texts.changeSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
