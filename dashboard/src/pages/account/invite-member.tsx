import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SecretField } from "../../components/secret-field.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import {
  InviteMemberDocument,
  type InviteMemberMutation,
  MembersDocument,
} from "./members.generated.ts";
import { type AccountRole, RoleField } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;
/** The role with the least rights: a click too many gives nobody more. */
const FIRST_ROLE: AccountRole = "SUPPORT";

type Made = InviteMemberMutation["inviteMember"];

/** The dialog that invites somebody to the account, and then shows the link once. */
export function InviteMember({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={made === null ? texts.inviteTitle : texts.invited(made.invitation.email)}
    >
      {made === null ? (
        <InviteForm onDone={setMade} />
      ) : (
        <MadeInvitation made={made} onClose={close} />
      )}
    </Dialog>
  );
}

/** What happened to the mail, and the link, which no later answer has. */
function MadeInvitation({ made: { link, mail }, onClose }: { made: Made; onClose(): void }) {
  return (
    <Stack>
      <Text size="sm">{texts.invitationMail[mail]}</Text>
      <SecretField
        label={texts.invitationLink}
        description={texts.invitationLinkText}
        value={link}
      />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {strings.common.close}
        </Button>
      </Group>
    </Stack>
  );
}

function InviteForm({ onDone }: { onDone(made: Made): void }) {
  const { form, submit, isSending, error } = useServiceForm({
    document: InviteMemberDocument,
    initialValues: { email: "", role: FIRST_ROLE },
    validate: { email: (email: string) => (email.trim() === "" ? texts.inviteMissing : null) },
    variables: ({ email, role }) => ({ input: { email: email.trim(), role } }),
    outdated: [MembersDocument],
    onDone: ({ inviteMember }) => onDone(inviteMember),
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
