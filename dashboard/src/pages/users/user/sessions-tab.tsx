import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange, useOperation } from "../../../api/queries.ts";
import { DestroyDialog } from "../../../components/destroy-dialog.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { Column } from "../../../components/entry-list.tsx";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { KeysetList, usePagePosition } from "../../../components/keyset-list.tsx";
import { sessionOriginOf } from "../../../components/session-origin.ts";
import { Missing, Moment } from "../cells.tsx";
import { userStrings } from "./strings.ts";
import {
  DestroySessionDocument,
  EndUserSessionsDocument,
  UserSessionsDocument,
  type UserSessionsQuery,
} from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;
type Row = UserSessionsQuery["application"]["sessions"]["nodes"][number];

/** Where the user is signed in, with buttons that end one session or all of them. */
export function SessionsTab({ of: { applicationId, user, canChange } }: { of: UserRef }) {
  const position = usePagePosition();
  const userId = user.id;
  const query = useOperation(
    UserSessionsDocument,
    { applicationId, userId, ...position },
    { keepPrevious: true },
  );
  // Stays while the dialog closes, so that its text does not change.
  const [ending, setEnding] = useState<Row | "all">("all");
  const [isAsking, { open, close }] = useDisclosure();
  const ask = (what: Row | "all") => {
    setEnding(what);
    open();
  };
  const endOne = useChange(DestroySessionDocument, [UserSessionsDocument]);
  const endAll = useChange(EndUserSessionsDocument, [UserSessionsDocument]);
  const error = endOne.error ?? endAll.error;
  const tell = (message: string) => notifications.show({ message, color: "green" });
  const end = (what: Row | "all") => {
    endOne.reset();
    endAll.reset();
    if (what === "all") {
      endAll.mutate(
        { input: { applicationId, userId } },
        {
          onSuccess: ({ endUserSessions }) => tell(texts.sessionsEnded(endUserSessions.endedCount)),
        },
      );
    } else {
      endOne.mutate({ input: { id: what.id } }, { onSuccess: () => tell(texts.sessionEnded) });
    }
  };
  const isAll = ending === "all";
  const page = query.data?.application.sessions;
  return (
    <Stack>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {texts.sessionsText}
        </Text>
        {canChange && page && page.nodes.length > 0 && (
          <Button variant="default" size="sm" onClick={() => ask("all")}>
            {texts.sessionsEnd}
          </Button>
        )}
      </Group>
      {error && <ErrorPanel error={error} />}
      <KeysetList
        query={query}
        page={page}
        label={texts.sessionsLabel}
        columns={canChange ? [...COLUMNS, endColumn(ask)] : COLUMNS}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.sessionsEmpty} text={texts.sessionsEmptyText} />}
      />
      <DestroyDialog
        opened={isAsking}
        onClose={close}
        title={isAll ? texts.sessionsEndTitle : texts.sessionEndTitle}
        lead={texts.endsText}
        lost={isAll ? texts.sessionsEndLost : texts.sessionEndLost}
        action={isAll ? texts.sessionsEndSubmit : texts.sessionEndSubmit}
        onConfirm={() => end(ending)}
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "agent",
    title: texts.sessionAgent,
    render: ({ userAgent }) => (
      <Text size="sm" fw={600} lineClamp={2} title={userAgent || undefined} className="breakable">
        {userAgent || texts.sessionNoAgent}
      </Text>
    ),
  },
  { key: "origin", title: texts.sessionOrigin, render: sessionOriginOf },
  { key: "ip", title: texts.sessionFrom, render: ({ ip }) => ip || <Missing /> },
  {
    key: "last",
    title: texts.sessionLast,
    render: ({ lastActivityAt }) => <Moment time={lastActivityAt} />,
  },
  {
    key: "expires",
    title: texts.sessionExpires,
    render: ({ expiresAt }) => <Moment time={expiresAt} />,
  },
];

function endColumn(end: (row: Row) => void): Column<Row> {
  return {
    key: "end",
    title: texts.actions,
    align: "right",
    render: (row) => (
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={texts.sessionEndLabel(row.userAgent || texts.sessionNoAgent, row.id)}
        onClick={() => end(row)}
      >
        {texts.sessionEnd}
      </Button>
    ),
  };
}
