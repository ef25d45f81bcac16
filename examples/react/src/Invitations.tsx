import type { Conference, ConferenceInvitation } from "@signalbox/client";
import { useInvitations, useSignalbox } from "@signalbox/client/react";
import { useRun } from "./problem.tsx";

/** The conferences to which others invite. */
export function Invitations({
  nameOf,
  onJoined,
}: {
  nameOf: (userId: string) => string;
  onJoined: (conference: Conference) => void;
}) {
  const { conferences } = useSignalbox();
  const { invitations, dismiss } = useInvitations();
  const run = useRun();
  const join = async (invitation: ConferenceInvitation) => {
    onJoined(await conferences.join(invitation.conference.id, { audio: true, video: true }));
    dismiss(invitation);
  };
  return invitations.map((invitation) => (
    <p key={invitation.conference.id} className="notice" role="status">
      {nameOf(invitation.inviterId)} invites you to {invitation.conference.name}{" "}
      <button type="button" className="primary" onClick={() => run(() => join(invitation))}>
        Join {invitation.conference.name} now
      </button>{" "}
      <button type="button" className="plain" onClick={() => dismiss(invitation)}>
        Not now
      </button>
    </p>
  ));
}
