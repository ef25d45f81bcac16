import {
  type Conference,
  type ConferenceParticipant,
  inviteToConference,
  type User,
} from "@signalbox/client";
import { useConference, useSignalbox, Video } from "@signalbox/client/react";
import { Avatar } from "./Avatar.tsx";
import { Controls } from "./Controls.tsx";
import { Icon } from "./Icon.tsx";
import { useRun } from "./problem.tsx";

/** A conference in progress. @param contacts who may be invited */
export function ConferenceView({
  conference,
  contacts,
}: {
  conference: Conference;
  contacts: User[];
}) {
  const { session } = useSignalbox();
  const run = useRun();
  const { state, settings, participants, audioMuted, videoMuted, localStream, screen } =
    useConference(conference);
  const tiles =
    participants.length + participants.filter((participant) => participant.screen).length;
  return (
    <main className="stage">
      <header className="bar">
        <strong>{settings?.name}</strong>
        <span className="quiet">
          {state === "reconnecting" ? "reconnecting …" : `${participants.length} here`}
        </span>
        <span className="invite">
          {contacts
            .filter(({ id }) => !participants.some(({ userId }) => userId === id))
            .map(({ id, fullName, login }) => (
              <button
                key={id}
                type="button"
                className="plain"
                onClick={() => run(() => inviteToConference(session, conference.id, [id]))}
              >
                Invite {fullName ?? login ?? id}
              </button>
            ))}
        </span>
      </header>
      <div className="tiles" data-count={tiles}>
        {participants.flatMap((participant) => [
          <ParticipantTile key={participant.id} participant={participant} />,
          participant.screen && (
            <figure key={`${participant.id}/screen`} className="tile screen">
              <Video
                stream={participant.screen}
                muted
                aria-label={`Screen of ${participant.name}`}
              />
              <figcaption>Screen of {participant.name}</figcaption>
            </figure>
          ),
        ])}
      </div>
      <Controls
        target={conference}
        stream={localStream}
        hasVideo
        audioMuted={audioMuted}
        videoMuted={videoMuted}
        isSharing={screen !== null}
        onDevice={(kind, deviceId) => conference.switchDevice(kind, deviceId)}
        endLabel="Leave"
        onEnd={() => conference.leave()}
      />
    </main>
  );
}

function ParticipantTile({ participant }: { participant: ConferenceParticipant }) {
  const { name, stream, isMe, audioMuted, videoMuted, speaking, isVideoPaused } = participant;
  const isDark = !stream || stream.getVideoTracks().length === 0 || videoMuted || isVideoPaused;
  return (
    <figure className="tile" data-speaking={speaking}>
      <Video
        stream={stream}
        muted={isMe}
        className={`${isDark ? "unseen" : ""} ${isMe ? "mirror" : ""}`}
        aria-label={isMe ? "Your own video" : `Video of ${name}`}
      />
      {isDark && <Avatar name={name} isLarge />}
      <figcaption>
        {audioMuted && <Icon name="microphone" isOff />}
        {isMe ? "You" : name}
      </figcaption>
    </figure>
  );
}
