import { UserPlusIcon } from "@heroicons/react/24/outline";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useOperation } from "../../api/queries.ts";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { formatDate, formatDateTime, formatRelative } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { strings } from "../../strings.ts";
import { Invitations } from "./invitations.tsx";
import { InviteMember } from "./invite-member.tsx";
import { MemberActions } from "./member-actions.tsx";
import { MembersDocument, type MembersQuery } from "./members.generated.ts";
import { RoleLabel } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;
/** How often the lists are read again, in milliseconds: somebody may have accepted an invitation. */
const REFRESH_MS = 30_000;

/** A member of the account, as the list has it. */
export type Member = MembersQuery["account"]["members"][number];

/** The members of the account and the open invitations. The service limits both, so that the page has all of them. */
export function MembersTab() {
  const query = useOperation(MembersDocument, {}, { refreshMs: REFRESH_MS });
  const { isOwner } = useRole();
  const [isInviting, { open, close }] = useDisclosure();
  const account = query.data?.account;
  const owners = account?.members.filter(({ role }) => role === "OWNER").length ?? 0;
  const invite = isOwner && (
    <Button onClick={open} leftSection={<UserPlusIcon width={18} aria-hidden />}>
      {texts.invite}
    </Button>
  );
  if (query.error && !account) {
    return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Text size="sm" c="dimmed">
            {isOwner ? texts.membersText : texts.membersReadOnly}
          </Text>
          {invite}
        </Group>
        {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
        <EntryList
          label={texts.membersLabel}
          columns={columnsFor(isOwner, owners)}
          rows={account?.members}
          rowKey={({ id }) => id}
          empty={null}
        />
      </Stack>
      {account && <Invitations invitations={account.invitations} />}
      <InviteMember opened={isInviting} onClose={close} />
    </Stack>
  );
}

/** @param owners their number: an account keeps at least one, so that the only one can be neither changed nor removed */
function columnsFor(isOwner: boolean, owners: number): readonly Column<Member>[] {
  const isOnlyOwner = ({ role }: Member) => role === "OWNER" && owners === 1;
  return [
    {
      key: "email",
      title: texts.member,
      render: ({ email, isCurrent }) => (
        <Group gap="xs">
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {email}
          </Text>
          {isCurrent && (
            <Badge variant="outline" color="gray" tt="none">
              {texts.you}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: "role", title: texts.role, render: ({ role }) => <RoleLabel role={role} /> },
    {
      key: "active",
      title: texts.lastActive,
      render: ({ lastActivityAt }) =>
        lastActivityAt ? (
          <Text size="sm" span title={formatDateTime(lastActivityAt)}>
            {formatRelative(lastActivityAt)}
          </Text>
        ) : (
          strings.common.never
        ),
    },
    {
      key: "joined",
      title: texts.joined,
      render: ({ createdAt }) => formatDate(createdAt),
      wideOnly: true,
    },
    ...(isOwner
      ? [
          {
            key: "actions",
            title: texts.actions,
            align: "right" as const,
            render: (member: Member) =>
              isOnlyOwner(member) ? (
                <Text size="sm" c="dimmed" span>
                  {texts.onlyOwner}
                </Text>
              ) : (
                <MemberActions member={member} />
              ),
          },
        ]
      : []),
  ];
}
