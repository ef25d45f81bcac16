import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { formatClock, formatExactTime } from "../../formats.ts";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { userName } from "../users/user-name.ts";
import type { CallFieldsFragment } from "./call.generated.ts";
import { callStrings } from "./strings.ts";

const texts = callStrings;
type Participant = CallFieldsFragment["participants"][number];

/** What a participant did, in words. */
function stateOf({ caller, state, reason }: Participant): string {
  if (reason !== null) return texts.participantReasons[reason];
  if (caller && state !== "HUNG_UP") return texts.callerState;
  return texts.participantStates[state];
}

/** The device that answered, or that the first signal came from. */
function deviceOf({ userId, device }: Participant, timeline: CallFieldsFragment["timeline"]) {
  return device ?? timeline?.find(({ senderId }) => senderId === userId)?.senderDevice ?? null;
}

function columnsOf(
  applicationId: string,
  timeline: CallFieldsFragment["timeline"],
): readonly Column<Participant>[] {
  return [
    {
      key: "person",
      title: texts.person,
      render: ({ userId, user }) => (
        <Anchor component={Link} to={`/applications/${applicationId}/users/${userId}`} fw={600}>
          {userName(user)}
        </Anchor>
      ),
    },
    {
      key: "role",
      title: texts.role,
      render: ({ caller }) => (caller ? texts.caller : texts.called),
    },
    { key: "state", title: texts.state, render: stateOf },
    {
      key: "answeredAt",
      title: texts.answeredAt,
      render: ({ answeredAt }) => <Clock time={answeredAt} />,
    },
    {
      key: "device",
      title: texts.device,
      render: (participant) =>
        deviceOf(participant, timeline) ?? (
          <Text span size="sm" c="dimmed">
            {texts.noDevice}
          </Text>
        ),
    },
    { key: "push", title: texts.push, render: ({ pushedAt }) => <Clock time={pushedAt} /> },
  ];
}

function Clock({ time }: { time: string | null }) {
  if (time === null) {
    return (
      <Text span size="sm" c="dimmed">
        {strings.common.nothing}
      </Text>
    );
  }
  return (
    <time dateTime={time} title={formatExactTime(time)} className="figure">
      {formatClock(time)}
    </time>
  );
}

/** Who took part in a call, with the devices that answered. */
export function CallParticipants({ call }: { call: CallFieldsFragment }) {
  const applicationId = useApplicationId();
  return (
    <ListSection title={texts.participants}>
      <EntryList
        label={texts.participantsLabel}
        columns={columnsOf(applicationId, call.timeline)}
        rows={call.participants}
        rowKey={({ userId }) => userId}
        empty={null}
      />
    </ListSection>
  );
}
