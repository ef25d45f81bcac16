import type { EndReason } from "@signalbox/client";
import { useCalls } from "@signalbox/client/react";

const TEXTS: Record<EndReason, (name: string) => string> = {
  "hung-up": () => "Call ended",
  "remote-hung-up": (name) => `${name} hung up`,
  rejected: (name) => `${name} declined`,
  busy: (name) => `${name} is in another call`,
  "not-supported": (name) => `${name}'s device takes no calls`,
  "no-answer": (name) => `${name} did not answer`,
  missed: (name) => `Missed call of ${name}`,
  "answered-elsewhere": () => "Answered on another device",
  "rejected-elsewhere": () => "Declined on another device",
  replaced: (name) => `${name} called at the same time`,
  "not-connected": () => "No media connection came about",
  "connection-lost": () => "The media connection was lost",
  failed: () => "The call has failed",
};

/** Why the last call has ended. */
export function LastCall({ nameOf }: { nameOf: (userId: string) => string }) {
  const { last } = useCalls();
  if (!last?.endReason) return null;
  const [other] = last.participants;
  return (
    <p className="notice" role="status">
      {TEXTS[last.endReason](nameOf(other?.userId ?? last.callerId))}
    </p>
  );
}
