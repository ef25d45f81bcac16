import { newId } from "../../../core/random";
import { parseId } from "../../../core/text/ids";
import { plainText, textElement } from "../../../platform/xml/xml-element";
import type { FieldSignal, Party, Signal } from "../../calls/signals/signal";
import { contentOfSignal } from "../../calls/signals/signal-xml";

/**
 * The signalType of an invitation. It is no `call`, which a phone would answer peer to peer; clients ignore types that
 * they do not know.
 */
export const INVITATION_TYPE = "conferenceInvite";

/** An invitation to a conference. */
export interface ConferenceInvite {
  conferenceId: number;
  conferenceName: string;
  /** The user who invites. */
  inviterId: number;
}

/** Makes the signal of an invitation, which reaches the user's devices whatever their protocol. */
export function invitationSignal(
  from: Party,
  userId: number,
  invitation: ConferenceInvite,
): FieldSignal {
  return {
    id: newId(),
    from,
    to: { applicationId: from.applicationId, userId },
    type: INVITATION_TYPE,
    callerId: String(invitation.inviterId),
    extra: [
      textElement("conferenceID", String(invitation.conferenceId)),
      textElement("conferenceName", invitation.conferenceName),
    ],
  };
}

/** Reads the invitation of a signal; null for any other signal. */
export function readInvitation(signal: Signal): ConferenceInvite | null {
  if (signal.type !== INVITATION_TYPE) return null;
  const { extra } = contentOfSignal(signal);
  const text = (name: string) => {
    const element = extra.find((each) => each.name === name);
    return element && plainText(element);
  };
  const conferenceId = parseId(text("conferenceID") ?? "");
  if (conferenceId === null) return null;
  // The sender is what the service says, not what the signal claims.
  return {
    conferenceId,
    conferenceName: text("conferenceName") ?? "",
    inviterId: signal.from.userId,
  };
}
