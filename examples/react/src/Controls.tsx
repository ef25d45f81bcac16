import type { MediaKind } from "@signalbox/client";
import { useState } from "react";
import { DeviceMenu } from "./DeviceMenu.tsx";
import { Icon } from "./Icon.tsx";
import { useRun } from "./problem.tsx";

/** What the buttons below a call or a conference act on. */
export interface Controlled {
  setMuted(kind: MediaKind, muted: boolean): unknown;
  shareScreen(): Promise<unknown>;
  stopScreen(): unknown;
}

/** The buttons below a call or a conference. @param endLabel what the red button does */
export function Controls({
  target,
  stream,
  hasVideo,
  audioMuted,
  videoMuted,
  isSharing,
  onDevice,
  endLabel,
  onEnd,
}: {
  target: Controlled;
  stream: MediaStream | null;
  hasVideo: boolean;
  audioMuted: boolean;
  videoMuted: boolean;
  isSharing: boolean;
  onDevice: (kind: MediaKind, deviceId: string) => Promise<unknown>;
  endLabel: string;
  onEnd: () => unknown;
}) {
  const run = useRun();
  const [isChoosing, setChoosing] = useState(false);
  // Phones have none.
  const canShare = "getDisplayMedia" in navigator.mediaDevices;
  return (
    <footer className="controls">
      {isChoosing && (
        <DeviceMenu
          stream={stream}
          hasVideo={hasVideo}
          onSelect={(kind, deviceId) => run(() => onDevice(kind, deviceId))}
        />
      )}
      <button
        type="button"
        className="round control"
        aria-label="Mute microphone"
        aria-pressed={audioMuted}
        onClick={() => run(() => target.setMuted("audio", !audioMuted))}
      >
        <Icon name="microphone" isOff={audioMuted} />
      </button>
      {hasVideo && (
        <button
          type="button"
          className="round control"
          aria-label="Turn camera off"
          aria-pressed={videoMuted}
          onClick={() => run(() => target.setMuted("video", !videoMuted))}
        >
          <Icon name="camera" isOff={videoMuted} />
        </button>
      )}
      {hasVideo && canShare && (
        <button
          type="button"
          className="round control"
          aria-label="Share screen"
          aria-pressed={isSharing}
          onClick={() => run(() => (isSharing ? target.stopScreen() : target.shareScreen()))}
        >
          <Icon name="screen" />
        </button>
      )}
      <button
        type="button"
        className="round control"
        aria-label="Choose devices"
        aria-expanded={isChoosing}
        onClick={() => setChoosing(!isChoosing)}
      >
        <Icon name="devices" />
      </button>
      <button
        type="button"
        className="round danger"
        aria-label={endLabel}
        onClick={() => run(onEnd)}
      >
        <Icon name="hangUp" />
      </button>
    </footer>
  );
}
