import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { InviteMemberDocument, MembersDocument } from "./members.generated.ts";
import { type AccountRole, RoleField } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;
/** The role with the least rights: a click too many gives nobody more. */
const FIRST_ROLE: AccountRole = "SUPPORT";

/** The dialog that invites somebody to the account. */
export function InviteMember({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.inviteTitle}>
      <InviteForm onClose={onClose} />
    </Dialog>
  );
}

function InviteForm({ onClose }: { onClose(): void }) {
  const { form, submit, isSending, error } = useServiceForm({
    document: InviteMemberDocument,
    initialValues: { email: "", role: FIRST_ROLE },
    validate: { email: (email: string) => (email.trim() === "" ? texts.inviteMissing : null) },
    variables: ({ email, role }) => ({ input: { email: email.trim(), role } }),
    outdated: [MembersDocument],
    onDone: ({ inviteMember: { invitation } }) => {
      onClose();
      notifications.show({ message: texts.invited(invitation.email), color: "green" });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.inviteText}</Text>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("email")}
        />
        <RoleField form={form} />
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" loading={isSending}>
            {texts.inviteSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
