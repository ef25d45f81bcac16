import type { Statement, Store } from "../../../platform/store/store";
import {
  type ConferenceParticipantState,
  PARTICIPANT_LEASE_S,
  type ParticipantRef,
} from "../model/conference";
import type { EndReason, LeaveReason } from "../model/conference-event";

/** Statements on conference_members. All throw Fault UNAVAILABLE if the database cannot be reached. */

/** The columns of {@link ConferenceParticipantRow}, from the table with the alias `m`. */
export const PARTICIPANT_COLUMNS = `m.id, m.conference_id, m.number, m.user_id, m.name, m.device, m.session_id, m.moderator,
  m.generation, m.publishing, m.screen, m.audio_muted, m.video_muted, m.audio_blocked, m.video_blocked, m.joined_at,
  coalesce(m.first_joined_at, m.joined_at) AS first_joined_at, m.left_at, m.leave_reason`;
const LEASE = `now() + interval '${PARTICIPANT_LEASE_S} seconds'`;

/** A row of {@link PARTICIPANT_COLUMNS}. */
export interface ConferenceParticipantRow {
  id: number;
  conference_id: number;
  number: number;
  user_id: number | null;
  name: string;
  device: string;
  session_id: number | null;
  moderator: boolean;
  generation: number;
  publishing: boolean;
  screen: boolean;
  audio_muted: boolean | null;
  video_muted: boolean | null;
  audio_blocked: boolean;
  video_blocked: boolean;
  joined_at: Date;
  first_joined_at: Date;
  left_at: Date | null;
  leave_reason: LeaveReason | null;
}

/** A seat of a conference, taken or in its history. */
export interface Participant {
  id: number;
  conferenceId: number;
  number: number;
  /** Null for a guest by link. */
  userId: number | null;
  name: string;
  device: string;
  sessionId: number | null;
  moderator: boolean;
  generation: number;
  publishing: boolean;
  screen: boolean;
  /** What the participant has muted itself; null if unknown. */
  audioMuted: boolean | null;
  videoMuted: boolean | null;
  /** What a moderator has muted. */
  audioBlocked: boolean;
  videoBlocked: boolean;
  joinedAt: Date;
  firstJoinedAt: Date;
  leftAt: Date | null;
  leaveReason: LeaveReason | null;
}

/** Who takes a seat. */
export type NewParticipant = Pick<
  Participant,
  | "conferenceId"
  | "number"
  | "userId"
  | "name"
  | "device"
  | "sessionId"
  | "moderator"
  | "audioMuted"
  | "videoMuted"
>;

/**
 * Called under the lock of the conference, so that the number of seats holds whatever races. It replaces the row of the
 * stay before, so that joining again and again makes no rows. What a moderator muted then stays muted.
 */
const INSERT: Statement = {
  name: "insert_conference_participant",
  text: `WITH free AS (SELECT 1 WHERE (
      SELECT count(*) FROM conference_members o WHERE o.conference_id = $1 AND o.left_at IS NULL) < $10::int),
    earlier AS (DELETE FROM conference_members p USING free
      WHERE p.conference_id = $1 AND p.number = $2 AND p.left_at IS NOT NULL
      RETURNING p.id, p.audio_blocked, p.video_blocked, coalesce(p.first_joined_at, p.joined_at) AS first_joined_at)
    INSERT INTO conference_members AS m (conference_id, number, user_id, name, device, session_id, moderator,
      audio_muted, video_muted, audio_blocked, video_blocked, first_joined_at, lease_until)
    SELECT $1::bigint, $2::bigint, $3::bigint, $4, $5, $6::bigint, $7::boolean, $8::boolean, $9::boolean,
      coalesce(e.audio_blocked, false), coalesce(e.video_blocked, false),
      (SELECT min(first_joined_at) FROM earlier), ${LEASE}
    FROM free LEFT JOIN LATERAL (SELECT audio_blocked, video_blocked FROM earlier ORDER BY id DESC LIMIT 1) AS e ON true
    RETURNING ${PARTICIPANT_COLUMNS}`,
};

const TAKE_OVER: Statement = {
  name: "rejoin_conference",
  text: `UPDATE conference_members m SET name = $3, device = $4, session_id = $5, moderator = $6, audio_muted = $7,
      video_muted = $8, publishing = false, screen = false, generation = generation + 1, lease_until = ${LEASE}
    WHERE m.conference_id = $1 AND m.number = $2 AND m.left_at IS NULL RETURNING ${PARTICIPANT_COLUMNS}`,
};

const LIVE: Statement = {
  name: "conference_members",
  text: `SELECT ${PARTICIPANT_COLUMNS} FROM conference_members m WHERE m.conference_id = $1 AND m.left_at IS NULL ORDER BY m.id`,
};

const LIVE_OF_MANY: Statement = {
  name: "participants_of_conferences",
  text: `SELECT ${PARTICIPANT_COLUMNS} FROM conference_members m WHERE m.conference_id = ANY($1::bigint[]) AND m.left_at IS NULL
    ORDER BY m.id`,
};

const SET_MEDIA: Statement = {
  name: "set_participant_media",
  text: `UPDATE conference_members SET publishing = $2, screen = $3, audio_muted = $4, video_muted = $5,
      audio_blocked = $6, video_blocked = $7 WHERE id = $1 AND left_at IS NULL`,
};

/** A seat whose lease ended before counts as left then, not when somebody noticed. */
const LEAVE: Statement = {
  name: "leave_conference",
  text: `UPDATE conference_members SET left_at = least(now(), lease_until), leave_reason = $2, publishing = false,
      screen = false WHERE id = $1 AND left_at IS NULL RETURNING 1 AS one`,
};

const LEAVE_ALL: Statement = {
  name: "leave_closed_conference",
  text: `UPDATE conference_members SET left_at = least(now(), lease_until), leave_reason = $2,
      publishing = false, screen = false WHERE conference_id = $1 AND left_at IS NULL`,
};

const RENEW: Statement = {
  name: "renew_conference_participants",
  text: `UPDATE conference_members m SET lease_until = ${LEASE} FROM unnest($1::bigint[], $2::int[]) AS r (id, generation)
    WHERE m.id = r.id AND m.generation = r.generation AND m.left_at IS NULL RETURNING m.id`,
};

const OF_MEMBERSHIP: Statement = {
  name: "member_of_membership",
  text: `SELECT ${PARTICIPANT_COLUMNS} FROM conference_members m
    WHERE m.id = $1 AND m.conference_id = $2 AND m.number = $3`,
};

const EXPIRED: Statement = {
  name: "expired_conference_participants",
  text: `SELECT m.id, m.conference_id FROM conference_members m
    WHERE m.conference_id = ANY($1::bigint[]) AND m.left_at IS NULL AND m.lease_until < now()`,
};

/** Takes a seat, under the lock of the conference. @returns null when all seats are taken */
export async function insertParticipant(
  { query }: Pick<Store, "query">,
  participant: NewParticipant,
  seats: number,
): Promise<Participant | null> {
  const { conferenceId, number, userId, name, device, sessionId, moderator } = participant;
  const values = [conferenceId, number, userId, name, device, sessionId, moderator];
  const [row] = await query<ConferenceParticipantRow>(INSERT, [
    ...values,
    participant.audioMuted,
    participant.videoMuted,
    seats,
  ]);
  return row ? toParticipant(row) : null;
}

/** Gives the seat of a participant to another device, under the lock. @returns null if the number has no seat */
export async function takeOverSeat(
  { query }: Pick<Store, "query">,
  participant: NewParticipant,
): Promise<Participant | null> {
  const { conferenceId, number, name, device, sessionId, moderator } = participant;
  const values = [conferenceId, number, name, device, sessionId, moderator];
  const [row] = await query<ConferenceParticipantRow>(TAKE_OVER, [
    ...values,
    participant.audioMuted,
    participant.videoMuted,
  ]);
  return row ? toParticipant(row) : null;
}

/** Finds the participants of a conference, by the time they joined. */
export async function findSeatedParticipants(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<Participant[]> {
  return (await query<ConferenceParticipantRow>(LIVE, [conferenceId])).map(toParticipant);
}

/** Finds the participants of several conferences, by the time they joined. */
export async function findSeatedParticipantsOf(
  { query }: Pick<Store, "query">,
  conferenceIds: number[],
): Promise<Participant[]> {
  return (await query<ConferenceParticipantRow>(LIVE_OF_MANY, [conferenceIds])).map(toParticipant);
}

/** Writes what a participant sends, and what is muted. */
export async function writeMedia(
  { query }: Pick<Store, "query">,
  { id, publishing, screen, audioMuted, videoMuted, audioBlocked, videoBlocked }: Participant,
): Promise<void> {
  const values = [id, publishing, screen, audioMuted, videoMuted, audioBlocked, videoBlocked];
  await query(SET_MEDIA, values);
}

/** Frees a seat. @returns whether it was taken */
export async function writeLeave(
  { query }: Pick<Store, "query">,
  participantId: number,
  reason: LeaveReason,
): Promise<boolean> {
  return (await query(LEAVE, [participantId, reason])).length > 0;
}

/** Frees all seats of a conference that is closed. */
export async function writeLeaveAll(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  reason: EndReason,
): Promise<void> {
  await query(LEAVE_ALL, [conferenceId, reason]);
}

/** Finds the participant of a membership, also one that has left. */
export async function findParticipant(
  { query }: Pick<Store, "query">,
  { participantId, conferenceId, number }: ParticipantRef,
): Promise<Participant | null> {
  const [row] = await query<ConferenceParticipantRow>(OF_MEMBERSHIP, [
    participantId,
    conferenceId,
    number,
  ]);
  return row ? toParticipant(row) : null;
}

/** Renews the leases of participants. @returns the ids of those that still have their seats */
export async function renewParticipants(
  { query }: Pick<Store, "query">,
  participants: Array<{ participantId: number; generation: number }>,
): Promise<number[]> {
  const ids = participants.map(({ participantId }) => participantId);
  const generations = participants.map(({ generation }) => generation);
  return (await query<{ id: number }>(RENEW, [ids, generations])).map(({ id }) => id);
}

/** Finds the participants of conferences whose leases have ended. */
export async function findExpiredParticipants(
  { query }: Pick<Store, "query">,
  conferenceIds: number[],
): Promise<Array<{ participantId: number; conferenceId: number }>> {
  const rows = await query<{ id: number; conference_id: number }>(EXPIRED, [conferenceIds]);
  return rows.map(({ id, conference_id: conferenceId }) => ({ participantId: id, conferenceId }));
}

/** A participant as others see it. */
export function participantState(participant: Participant): ConferenceParticipantState {
  const { id, number, userId, name, device, moderator, publishing, screen } = participant;
  return {
    id,
    number,
    kind: userId === null ? "guest-link" : "user",
    name,
    device,
    moderator,
    joinedAt: participant.joinedAt.toISOString(),
    publishing,
    screen,
    audioMuted: participant.audioBlocked || participant.audioMuted,
    videoMuted: participant.videoBlocked || participant.videoMuted,
  };
}

/** Maps a row. */
export function toParticipant(row: ConferenceParticipantRow): Participant {
  return {
    id: row.id,
    conferenceId: row.conference_id,
    number: row.number,
    userId: row.user_id,
    name: row.name,
    device: row.device,
    sessionId: row.session_id,
    moderator: row.moderator,
    generation: row.generation,
    publishing: row.publishing,
    screen: row.screen,
    audioMuted: row.audio_muted,
    videoMuted: row.video_muted,
    audioBlocked: row.audio_blocked,
    videoBlocked: row.video_blocked,
    joinedAt: row.joined_at,
    firstJoinedAt: row.first_joined_at,
    leftAt: row.left_at,
    leaveReason: row.leave_reason,
  };
}
