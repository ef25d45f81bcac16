import { Fault } from "../../../core/errors";
import type { Transaction } from "../../../platform/store/store";
import type {
  ConferenceParticipantState,
  ParticipantIdentity,
  ParticipantRef,
} from "../model/conference";
import type { ConferenceState, NewEvent } from "../model/conference-event";
import { noteEmpty } from "../rows/host-queries";
import {
  insertParticipant,
  type NewParticipant,
  type Participant,
  participantState,
  takeOverSeat,
} from "../rows/participant-queries";
import { lockSeats } from "../rows/user-limit-queries";

/**
 * Maximum number of seats of a user in all conferences. Each conference with a participant may take a room of the media
 * server.
 */
const USER_SEATS_MAX = 8;

/** The result of a join on the hosting node; JSON. */
export interface JoinResult {
  ref: ParticipantRef;
  participant: ConferenceParticipantState;
}

/** The result of a join for its participant. */
export function joinResult(participant: Participant): JoinResult {
  const { id: participantId, conferenceId, number, generation } = participant;
  return {
    ref: { conferenceId, participantId, number, generation },
    participant: participantState(participant),
  };
}

/** The row of a participant who joins. @param legacy whether its client cannot tell what it has muted */
export function newParticipantOf(
  conferenceId: number,
  { number, kind, name, device, sessionId }: ParticipantIdentity,
  moderator: boolean,
  legacy: boolean,
): NewParticipant {
  const muted = legacy ? null : false;
  return {
    conferenceId,
    number,
    userId: kind === "user" ? number : null,
    name,
    device,
    sessionId,
    moderator,
    audioMuted: muted,
    videoMuted: muted,
  };
}

/** Tells the others of a participant that has taken its seat, or that of its other device. */
export function seatEvent(taken: Participant): NewEvent {
  const participant = participantState(taken);
  return taken.generation > 1
    ? { type: "participant-updated", participant, rejoined: true }
    : { type: "participant-joined", participant };
}

/**
 * Gives a participant a seat, under the lock of the conference: its own one if it has one, on another device.
 * @returns the participant; its generation is greater than 1 if it had a seat
 * @throws Fault FULL, FORBIDDEN while the conference is locked, LIMITED beyond {@link USER_SEATS_MAX}
 */
export async function seatParticipant(
  transaction: Pick<Transaction, "query">,
  newParticipant: NewParticipant,
  { id, seats, locked }: Pick<ConferenceState, "id" | "seats" | "locked">,
): Promise<Participant> {
  const taken = await takeOverSeat(transaction, newParticipant);
  if (taken) return taken;
  if (locked && !newParticipant.moderator) throw new Fault("FORBIDDEN", "The conference is locked");
  const { userId } = newParticipant;
  if (userId !== null && (await lockSeats(transaction, userId)) >= USER_SEATS_MAX) {
    throw new Fault("LIMITED", `A user may be in at most ${USER_SEATS_MAX} conferences at a time`);
  }
  const inserted = await insertParticipant(transaction, newParticipant, seats);
  if (!inserted) throw new Fault("FULL", `All ${seats} seats of the conference are taken`);
  await noteEmpty(transaction, id);
  return inserted;
}
