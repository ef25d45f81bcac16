import { Button, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { formatDate, formatDateTime, formatRelative } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import {
  MembersDocument,
  type MembersQuery,
  RevokeInvitationDocument,
} from "./members.generated.ts";
import { RoleLabel } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;
type Invitation = MembersQuery["account"]["invitations"][number];

const COLUMNS: readonly Column<Invitation>[] = [
  {
    key: "email",
    title: texts.email,
    render: ({ email }) => (
      <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
        {email}
      </Text>
    ),
  },
  { key: "role", title: texts.role, render: ({ role }) => <RoleLabel role={role} /> },
  {
    key: "expires",
    title: texts.expires,
    render: ({ expiresAt }) => (
      <Text size="sm" span title={formatDateTime(expiresAt)}>
        {formatRelative(expiresAt)}
      </Text>
    ),
  },
  {
    key: "invitedBy",
    title: texts.invitedBy,
    render: ({ invitedBy }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {invitedBy ?? "–"}
      </Text>
    ),
    wideOnly: true,
  },
  {
    key: "sent",
    title: texts.invitedAt,
    render: ({ createdAt }) => (
      <Text size="sm" span title={formatDateTime(createdAt)}>
        {formatDate(createdAt)}
      </Text>
    ),
    wideOnly: true,
  },
];

const ACTIONS: Column<Invitation> = {
  key: "actions",
  title: texts.actions,
  align: "right",
  render: (invitation) => <Revoke invitation={invitation} />,
};

/** The invitations that nobody has accepted yet. */
export function Invitations({ invitations }: { invitations: readonly Invitation[] }) {
  const { isOwner } = useRole();
  return (
    <Stack gap="sm" component="section">
      <div>
        <Title order={2} size="h4">
          {texts.invitations}
        </Title>
        {isOwner && invitations.length > 0 && (
          <Text size="sm" c="dimmed">
            {texts.invitationsText}
          </Text>
        )}
      </div>
      <EntryList
        label={texts.invitations}
        columns={isOwner ? [...COLUMNS, ACTIONS] : COLUMNS}
        rows={invitations}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={texts.noInvitations}
            text={isOwner ? texts.noInvitationsText : texts.noInvitationsReadOnly}
          />
        }
      />
    </Stack>
  );
}

function Revoke({ invitation: { id, email } }: { invitation: Invitation }) {
  const [isAsking, { open, close }] = useDisclosure();
  const { mutateAsync } = useChange(RevokeInvitationDocument, [MembersDocument]);
  const revoke = async () => {
    await mutateAsync({ input: { id } });
    notifications.show({ message: texts.revoked(email), color: "green" });
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={texts.revokeOf(email)}>
        {texts.revoke}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title={texts.revokeTitle}
        action={texts.revokeSubmit}
        isDestructive
        onConfirm={revoke}
      >
        <Text size="sm">{texts.revokeText(email)}</Text>
      </ConfirmDialog>
    </>
  );
}
