import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../../api/queries.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { Column } from "../../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../../components/keyset-list.tsx";
import { formatDateTime, formatDuration } from "../../../formats.ts";
import { Missing } from "../cells.tsx";
import { userName } from "../user-name.ts";
import { userStrings } from "./strings.ts";
import { UserCallsDocument, type UserCallsQuery } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;
type Row = UserCallsQuery["application"]["calls"]["nodes"][number];

/** The calls that the user took part in. */
export function CallsTab({ of: { applicationId, user } }: { of: UserRef }) {
  const position = usePagePosition();
  const query = useOperation(
    UserCallsDocument,
    { applicationId, userId: user.id, ...position },
    { keepPrevious: true },
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.callsText}
      </Text>
      <KeysetList
        query={query}
        page={query.data?.application.calls}
        label={texts.callsLabel}
        columns={columnsFor(applicationId, user.id)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.callsEmpty} text={texts.callsEmptyText} />}
      />
    </Stack>
  );
}

function columnsFor(applicationId: string, userId: string): readonly Column<Row>[] {
  return [
    {
      key: "with",
      title: texts.callWith,
      render: ({ id, participants }) => {
        const others = participants.filter((each) => each.userId !== userId);
        return (
          <Anchor
            component={Link}
            to={`/applications/${applicationId}/calls/${id}`}
            fw={600}
            className="breakable"
          >
            {others.map(({ user }) => userName(user)).join(", ") || texts.callNobody}
          </Anchor>
        );
      },
    },
    {
      key: "direction",
      title: texts.callDirection,
      render: ({ callerId }) => (callerId === userId ? texts.outgoing : texts.incoming),
    },
    {
      key: "kind",
      title: texts.callKind,
      render: ({ callType }) => (callType ? texts.callKinds[callType] : <Missing />),
      wideOnly: true,
    },
    {
      key: "started",
      title: texts.callStarted,
      render: ({ startedAt }) => formatDateTime(startedAt),
    },
    { key: "result", title: texts.callResult, render: (row) => <Result row={row} /> },
    {
      key: "duration",
      title: texts.callDuration,
      align: "right",
      render: ({ acceptedAt, endedAt }) =>
        acceptedAt && endedAt ? (
          formatDuration((Date.parse(endedAt) - Date.parse(acceptedAt)) / 1_000)
        ) : (
          <Missing />
        ),
    },
  ];
}

function Result({ row: { state, endReason, acceptedAt } }: { row: Row }) {
  if (!endReason) {
    return (
      <Badge color="green" variant="light" tt="none">
        {texts.callStates[state]}
      </Badge>
    );
  }
  return (
    <Badge color={acceptedAt ? "gray" : "orange"} variant="light" tt="none">
      {texts.callEnds[endReason]}
    </Badge>
  );
}
