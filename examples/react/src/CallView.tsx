import type { Call, Participant } from "@signalbox/client";
import { useCall, Video } from "@signalbox/client/react";
import { Avatar } from "./Avatar.tsx";
import { Controls } from "./Controls.tsx";
import { Duration } from "./Duration.tsx";
import { Icon } from "./Icon.tsx";

const STATES: Record<Participant["state"], string> = {
  ringing: "ringing …",
  connecting: "connecting …",
  connected: "",
  recovering: "reconnecting …",
  left: "has left",
};

/** A call in progress with one or several others. */
export function CallView({ call, nameOf }: { call: Call; nameOf: (userId: string) => string }) {
  const { participants, localStream, screen, audioMuted, videoMuted, connectedAt } = useCall(call);
  return (
    <main className="stage">
      <div className="tiles" data-count={participants.length}>
        {participants.map((participant) => {
          const { userId, state, stream, videoMuted: isDark } = participant;
          const name = nameOf(userId);
          return (
            <figure key={userId} className="tile">
              <Video
                stream={stream}
                className={stream && call.video && !isDark ? "" : "unseen"}
                aria-label={`Video of ${name}`}
              />
              {(!stream || !call.video || isDark) && <Avatar name={name} isLarge />}
              <figcaption>
                {participant.audioMuted && <Icon name="microphone" isOff />}
                {name} {STATES[state]}
                {state === "connected" && connectedAt && <Duration since={connectedAt} />}
              </figcaption>
            </figure>
          );
        })}
      </div>
      {call.video && (
        <Video
          stream={screen ?? localStream}
          muted
          className={`own ${screen ? "" : "mirror"} ${videoMuted && !screen ? "dark" : ""}`}
          aria-label="Your own video"
        />
      )}
      <Controls
        target={call}
        stream={localStream}
        hasVideo={call.video}
        audioMuted={audioMuted}
        videoMuted={videoMuted}
        isSharing={screen !== null}
        onDevice={(kind, deviceId) => call.useDevice(kind, deviceId)}
        endLabel="Hang up"
        onEnd={() => call.hangUp()}
      />
    </main>
  );
}
