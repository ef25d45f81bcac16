import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { sessionOriginOf } from "../../components/session-origin.ts";
import { formatDateTime, formatRelative } from "../../formats.ts";
import { strings } from "../../strings.ts";
import {
  ApplicationSessionsDocument,
  type ApplicationSessionsQuery,
} from "./application.generated.ts";
import { applicationStrings } from "./strings.ts";

const texts = applicationStrings;
type Row = ApplicationSessionsQuery["application"]["sessions"]["nodes"][number];

function columnsOf(applicationId: string): readonly Column<Row>[] {
  return [
    {
      key: "id",
      title: texts.sessionId,
      render: ({ id }) => (
        <Text size="sm" fw={600}>
          {id}
        </Text>
      ),
    },
    {
      key: "user",
      title: texts.sessionUser,
      render: ({ userId }) =>
        userId ? (
          <Anchor component={Link} to={`/applications/${applicationId}/users/${userId}`} size="sm">
            {userId}
          </Anchor>
        ) : (
          texts.sessionNoUser
        ),
    },
    {
      key: "last",
      title: texts.sessionLast,
      render: ({ lastActivityAt }) => formatRelative(lastActivityAt),
    },
    {
      key: "expires",
      title: texts.sessionExpires,
      render: ({ expiresAt }) => formatDateTime(expiresAt),
      wideOnly: true,
    },
    { key: "origin", title: texts.sessionOrigin, render: sessionOriginOf },
    { key: "ip", title: texts.sessionFrom, render: ({ ip }) => ip ?? strings.common.none },
    {
      key: "agent",
      title: texts.sessionAgent,
      render: ({ userAgent }) => (
        <Text size="sm" lineClamp={1} title={userAgent ?? undefined}>
          {userAgent ?? strings.common.none}
        </Text>
      ),
      wideOnly: true,
    },
  ];
}

/** The live sessions of an application: a list of any length, page by page. */
export function SessionsTab({ applicationId }: { applicationId: string }) {
  const position = usePagePosition();
  const query = useOperation(
    ApplicationSessionsDocument,
    { id: applicationId, ...position },
    { keepPrevious: true },
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.sessionsText}
      </Text>
      <KeysetList
        query={query}
        page={query.data?.application.sessions}
        label={texts.sessionsLabel}
        columns={columnsOf(applicationId)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.sessionsEmpty} text={texts.sessionsEmptyText} />}
      />
    </Stack>
  );
}
