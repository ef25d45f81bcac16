import type { MediaKind } from "@signalbox/client";
import { useEffect, useState } from "react";

const KINDS = { audio: ["audioinput", "Microphone"], video: ["videoinput", "Camera"] } as const;

/** Chooses the microphone and the camera. @param stream what is captured now */
export function DeviceMenu({
  stream,
  hasVideo,
  onSelect,
}: {
  stream: MediaStream | null;
  hasVideo: boolean;
  onSelect: (kind: MediaKind, deviceId: string) => void;
}) {
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  useEffect(() => {
    const { mediaDevices } = navigator;
    const load = () => void mediaDevices.enumerateDevices().then(setDevices);
    load();
    mediaDevices.addEventListener("devicechange", load);
    return () => mediaDevices.removeEventListener("devicechange", load);
  }, []);
  const kinds: MediaKind[] = hasVideo ? ["audio", "video"] : ["audio"];
  return (
    <div className="card devices">
      {kinds.map((kind) => {
        const [type, title] = KINDS[kind];
        const track = stream?.getTracks().find((each) => each.kind === kind);
        return (
          <label key={kind}>
            {title}
            <select
              // The default value counts for the options of the first rendering alone.
              key={devices.length}
              defaultValue={track?.getSettings().deviceId}
              onChange={({ target }) => onSelect(kind, target.value)}
            >
              {devices
                .filter((device) => device.kind === type)
                .map(({ deviceId, label }) => (
                  <option key={deviceId} value={deviceId}>
                    {label || title}
                  </option>
                ))}
            </select>
          </label>
        );
      })}
    </div>
  );
}
