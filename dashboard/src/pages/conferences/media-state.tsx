import {
  ComputerDesktopIcon,
  MicrophoneIcon,
  NoSymbolIcon,
  SpeakerXMarkIcon,
  VideoCameraIcon,
  VideoCameraSlashIcon,
} from "@heroicons/react/24/outline";
import { Group, Text } from "@mantine/core";
import { formatBitrate } from "../../formats.ts";
import type { ConferenceParticipant } from "./conference-participants.tsx";
import { conferenceStrings } from "./strings.ts";

const texts = conferenceStrings.media;
const ICONS = {
  audio: { on: MicrophoneIcon, off: SpeakerXMarkIcon },
  video: { on: VideoCameraIcon, off: VideoCameraSlashIcon },
} as const;

/** What is known of a microphone or camera: who muted it, or that nothing arrives, and what it sends. */
export function MediaState({
  participant,
  kind,
}: {
  participant: ConferenceParticipant;
  kind: "audio" | "video";
}) {
  const [muted, byModerator] =
    kind === "audio"
      ? [participant.audioMuted, participant.audioMutedByModerator]
      : [participant.videoMuted, participant.videoMutedByModerator];
  const sent = participant.statistics.find(({ source }) => source === "MAIN");
  const bitrate = kind === "audio" ? sent?.audioBitrate : sent?.videoBitrate;
  const { on: On, off: Off } = ICONS[kind];
  if (byModerator) return <State icon={Off} color="orange" text={texts.mutedByModerator} />;
  if (!participant.publishing)
    return <State icon={NoSymbolIcon} color="dimmed" text={texts.none} isUnbroken />;
  if (muted) {
    return <State icon={Off} color="dimmed" text={kind === "audio" ? texts.muted : texts.off} />;
  }
  const text = muted === null ? texts.unknown : texts.on;
  return <State icon={On} text={text} bitrate={bitrate} />;
}

/** Whether a participant shares a screen, and what it sends of it. */
export function ScreenState({
  participant: { sharingScreen, statistics },
}: {
  participant: ConferenceParticipant;
}) {
  if (!sharingScreen) return <State color="dimmed" text={texts.notSharing} />;
  const sent = statistics.find(({ source }) => source === "SCREEN");
  return <State icon={ComputerDesktopIcon} text={texts.sharing} bitrate={sent?.videoBitrate} />;
}

function State({
  icon: Icon,
  text,
  color,
  bitrate,
  isUnbroken = false,
}: {
  icon?: typeof MicrophoneIcon;
  text: string;
  color?: string;
  bitrate?: number | undefined;
  isUnbroken?: boolean;
}) {
  return (
    <Group gap={6} wrap="nowrap" justify="inherit" component="span" display="inline-flex">
      {Icon && <Icon width={18} aria-hidden className="row-icon" />}
      <span>
        <Text
          span
          size="sm"
          {...(color && { c: color })}
          {...(isUnbroken && { className: "unbroken" })}
        >
          {text}
        </Text>
        {bitrate !== undefined && (
          <Text span size="xs" c="dimmed" className="figure unbroken" display="block">
            {formatBitrate(bitrate)}
          </Text>
        )}
      </span>
    </Group>
  );
}
