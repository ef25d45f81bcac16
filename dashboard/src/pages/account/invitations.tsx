import { Stack, Text, Title } from "@mantine/core";
import { useChange } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { RevokeButton } from "../../components/revoke-button.tsx";
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
  const { mutateAsync } = useChange(RevokeInvitationDocument, [MembersDocument]);
  const revoke = async () => {
    await mutateAsync({ input: { id } });
    return texts.revoked(email);
  };
  return <RevokeButton name={email} texts={texts} onRevoke={revoke} />;
}
