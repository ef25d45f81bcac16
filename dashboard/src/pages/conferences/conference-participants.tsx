import { Anchor, Badge, Group, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { formatExactTime, formatMilliseconds, formatRelative, formatShare } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { useApplicationId } from "../../shell/use-application-id.ts";
import {
  type ConferenceFieldsFragment,
  ConferenceStatisticsDocument,
  type ConferenceStatisticsQuery,
} from "./conference.generated.ts";
import { MediaState, ScreenState } from "./media-state.tsx";
import { ParticipantMenu } from "./participant-menu.tsx";
import { conferenceStrings } from "./strings.ts";
import { useReadAgain } from "./use-read-again.ts";

const texts = conferenceStrings;

type Statistics = ConferenceStatisticsQuery["conferenceStatistics"];
/** A participant of a conference as the page shows it. */
export type ConferenceParticipant = ConferenceFieldsFragment["participants"][number] & {
  statistics: Statistics;
};

/** How often the statistics of participants are read, which no subscription delivers, in milliseconds. */
const STATISTICS_MS = 5_000;

function columnsOf(
  applicationId: string,
  conference: ConferenceFieldsFragment,
  canChange: boolean,
): readonly Column<ConferenceParticipant>[] {
  const actions: Column<ConferenceParticipant> = {
    key: "actions",
    title: texts.actionsTitle,
    align: "right",
    render: (participant) => <ParticipantMenu participant={participant} conference={conference} />,
  };
  return [
    {
      key: "participant",
      title: texts.participant,
      render: (participant) => (
        <ParticipantName participant={participant} applicationId={applicationId} />
      ),
    },
    {
      key: "microphone",
      title: texts.microphone,
      render: (participant) => <MediaState participant={participant} kind="audio" />,
    },
    {
      key: "camera",
      title: texts.camera,
      render: (participant) => <MediaState participant={participant} kind="video" />,
    },
    {
      key: "screen",
      title: texts.screen,
      render: (participant) => <ScreenState participant={participant} />,
    },
    {
      key: "quality",
      title: texts.quality,
      render: ({ statistics }) => <Figures statistics={statistics} />,
    },
    {
      key: "joined",
      title: texts.joined,
      render: ({ joinedAt }) => (
        <time dateTime={joinedAt} title={formatExactTime(joinedAt)} className="unbroken">
          {formatRelative(joinedAt)}
        </time>
      ),
    },
    ...(canChange ? [actions] : []),
  ];
}

function ParticipantName({
  participant: { userId, name, moderator, device },
  applicationId,
}: {
  participant: ConferenceParticipant;
  applicationId: string;
}) {
  return (
    <>
      <Group gap={6}>
        {userId === null ? (
          <Text fw={600} size="sm">
            {name}
          </Text>
        ) : (
          <Anchor component={Link} to={`/applications/${applicationId}/users/${userId}`} fw={600}>
            {name}
          </Anchor>
        )}
        {moderator && (
          <Badge variant="light" color="indigo" tt="none" size="sm">
            {texts.moderator}
          </Badge>
        )}
        {userId === null && (
          <Badge variant="light" color="gray" tt="none" size="sm">
            {texts.guest}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" className="breakable">
        {device}
      </Text>
    </>
  );
}

/** How well the peer connections of a participant work, as the media server has last reported. */
function Figures({ statistics }: { statistics: Statistics }) {
  if (statistics.length === 0) {
    return (
      <Text span size="sm" c="dimmed" className="unbroken">
        {texts.noStatistics}
      </Text>
    );
  }
  return statistics.map(({ source, packetLoss, roundTripMs }) => {
    const loss = texts.loss(formatShare(packetLoss));
    const stats =
      roundTripMs === null
        ? loss
        : texts.lossAndRoundTrip(loss, texts.roundTrip(formatMilliseconds(roundTripMs)));
    return (
      <Text
        key={source ?? "receives"}
        size="sm"
        className="figure"
        {...(packetLoss > POOR_LOSS && { c: "red" })}
      >
        {statistics.length > 1 && `${texts.peer(texts.peers[source ?? "receives"])} `}
        {stats}
      </Text>
    );
  });
}

/** Share of lost packets above which people notice. */
const POOR_LOSS = 0.05;

/** Who is in a conference now, what they send, and what may be done about it. */
export function ConferenceParticipants({ conference }: { conference: ConferenceFieldsFragment }) {
  const applicationId = useApplicationId();
  const { canChange } = useRole();
  const { id: conferenceId, participants, seats, closedAt } = conference;
  const isClosed = closedAt !== null;
  const query = useOperation(
    ConferenceStatisticsDocument,
    { id: conferenceId },
    { enabled: participants.length > 0, refreshMs: STATISTICS_MS },
  );
  // A participant that leaves and comes back has new peer connections.
  useReadAgain(participants.map(({ id, joinedAt }) => `${id} ${joinedAt}`).join(", "), () =>
    participants.length > 0 ? query.refetch() : undefined,
  );
  const reported = (!query.error && query.data?.conferenceStatistics) || [];
  const rows = participants.map((participant) => ({
    ...participant,
    statistics: reported.filter(({ participantId }) => participantId === participant.id),
  }));
  return (
    <ListSection
      title={texts.participants}
      {...(!isClosed && { lead: texts.participantsLead(participants.length, seats) })}
    >
      {query.error && participants.length > 0 && (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      )}
      <EntryList
        label={texts.participantsLabel}
        columns={columnsOf(applicationId, conference, canChange)}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={isClosed ? texts.noParticipantsClosed : texts.noParticipants}
            text={isClosed ? texts.noParticipantsClosedText : texts.noParticipantsText}
          />
        }
      />
    </ListSection>
  );
}
