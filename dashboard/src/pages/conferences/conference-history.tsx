import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { formatDateTime, formatExactTime } from "../../formats.ts";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { ConferenceHistoryDocument, type ConferenceHistoryQuery } from "./conference.generated.ts";
import { conferenceStrings } from "./strings.ts";
import { useReadAgain } from "./use-read-again.ts";

const texts = conferenceStrings;
type Row = ConferenceHistoryQuery["conferenceHistory"]["nodes"][number];

function columnsOf(applicationId: string): readonly Column<Row>[] {
  return [
    {
      key: "name",
      title: texts.participant,
      render: ({ userId, name }) =>
        userId === null ? (
          <Text size="sm" fw={600}>
            {name}
          </Text>
        ) : (
          <Anchor component={Link} to={`/applications/${applicationId}/users/${userId}`} fw={600}>
            {name}
          </Anchor>
        ),
    },
    {
      key: "first",
      title: texts.firstJoined,
      render: ({ firstJoinedAt }) => <Time time={firstJoinedAt} />,
    },
    { key: "joined", title: texts.lastJoined, render: ({ joinedAt }) => <Time time={joinedAt} /> },
    {
      key: "left",
      title: texts.left,
      render: ({ leftAt }) => (leftAt === null ? texts.stillIn : <Time time={leftAt} />),
    },
    {
      key: "why",
      title: texts.leftWhy,
      render: ({ leaveReason }) =>
        leaveReason === null ? strings.common.nothing : texts.leaveReasons[leaveReason],
    },
  ];
}

function Time({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatExactTime(time)}>
      {formatDateTime(time)}
    </time>
  );
}

/**
 * Everybody who is or was in a conference.
 * @param participants ids of who is in now: another set reads the list again
 */
export function ConferenceHistory({
  conferenceId,
  participants,
}: {
  conferenceId: string;
  participants: string;
}) {
  const applicationId = useApplicationId();
  const position = usePagePosition();
  const query = useOperation(
    ConferenceHistoryDocument,
    { id: conferenceId, ...position },
    { keepPrevious: true },
  );
  useReadAgain(participants, query.refetch);
  return (
    <ListSection title={texts.history} lead={texts.historyLead}>
      <KeysetList
        query={query}
        page={query.data?.conferenceHistory}
        label={texts.historyLabel}
        columns={columnsOf(applicationId)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.noHistory} text={texts.noHistoryText} />}
      />
    </ListSection>
  );
}
