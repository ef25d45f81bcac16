import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { Details } from "../../components/details.tsx";
import { Section } from "../../components/section.tsx";
import { formatBitrate, formatExactTime, formatNumber } from "../../formats.ts";
import { useApplicationId } from "../../shell/use-application-id.ts";
import type { ConferenceFieldsFragment } from "./conference.generated.ts";
import { conferenceStrings, conferencesStrings } from "./strings.ts";

const texts = conferenceStrings;

/** What a conference is, for everybody who may read. */
export function ConferenceDetails({ conference }: { conference: ConferenceFieldsFragment }) {
  const applicationId = useApplicationId();
  const { creatorId, participants, origin, engine, hostNodeId, closedAt } = conference;
  // A creator who is in has a name here.
  const creator = participants.find(({ userId }) => userId !== null && userId === creatorId);
  return (
    <Section title={texts.about}>
      <Details
        details={[
          { title: texts.created, value: formatExactTime(conference.createdAt) },
          {
            title: texts.createdBy,
            value:
              creatorId === null ? (
                texts.creatorDeleted
              ) : (
                <Anchor
                  component={Link}
                  to={`/applications/${applicationId}/users/${creatorId}`}
                  size="sm"
                >
                  {creator?.name ?? texts.creator(creatorId)}
                </Anchor>
              ),
          },
          ...(origin === null ? [] : [{ title: texts.origin, value: texts.origins[origin] }]),
          ...(closedAt === null
            ? []
            : [{ title: conferencesStrings.statuses.closed, value: formatExactTime(closedAt) }]),
          { title: texts.seats, value: conference.seats },
          { title: texts.access, value: texts.accesses[conference.access] },
          { title: texts.locked, value: conference.locked ? texts.lockedYes : texts.lockedNo },
          {
            title: texts.videoAllowed,
            value: conference.video ? texts.videos.yes : texts.videos.no,
          },
          { title: texts.bitrateFact, value: formatBitrate(conference.bitrate) },
          {
            title: texts.whenEmpty,
            value:
              conference.emptyAfterSeconds === 0
                ? texts.staysOpen
                : texts.closesAfter(formatNumber(conference.emptyAfterSeconds)),
          },
          ...(closedAt === null
            ? [
                {
                  title: texts.server,
                  value:
                    engine === null || hostNodeId === null
                      ? texts.noServer
                      : texts.onNode(engine, hostNodeId),
                },
              ]
            : []),
          { title: texts.id, value: conference.id },
        ]}
      />
    </Section>
  );
}
