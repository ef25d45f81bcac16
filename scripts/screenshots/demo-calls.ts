import type { App } from "../../src/app";

/** Calls between users of the demo: minutes ago, who calls whom, kind, how it went, and how many seconds it took. */
const CALLS = `(VALUES
  (3, 2, 4, 1, 'accepted', 4.2, NULL::numeric), (1, 1, 6, 1, 'ringing', NULL, NULL),
  (26, 6, 3, 1, 'rejected', NULL, 6.1), (31, 5, 6, 2, 'hung_up', NULL, 12.4), (58, 4, 5, 2, 'hung_up', 7.1, 1254),
  (95, 3, 1, 1, 'missed', NULL, 60), (140, 1, 2, 1, 'hung_up', 4.2, 316), (190, 2, 6, 1, 'hung_up', 2.8, 702)
) AS c (ago, caller, callee, kind, state, answered, ended)`;

/** Adds calls with their signals, and conferences with participants, guests and links, as their tables hold them. */
export async function addDemoCalls({ store }: App, applicationId: string): Promise<void> {
  const statements = {
    demo_calls: `INSERT INTO calls (application_id, session_id, caller_id, call_type, state, started_at, accepted_at, ended_at)
      SELECT $1, 'demo-' || ago, caller, kind, state::call_state, at, at + answered * interval '1 second',
        at + ended * interval '1 second'
      FROM (SELECT *, now() - ago * interval '1 minute' AS at FROM ${CALLS}) AS c`,
    demo_participants: `INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at, answer,
        answered_at, device, left_at, dropped_at, missed_at)
      SELECT k.id, u.id, k.session_id, k.started_at, k.state, k.started_at,
        CASE WHEN u.id = c.caller THEN NULL WHEN k.accepted_at IS NOT NULL THEN 'accept'
          WHEN k.state = 'rejected' THEN 'decline' END::call_answer,
        CASE WHEN u.id = c.caller THEN NULL WHEN k.state = 'rejected' THEN k.ended_at ELSE k.accepted_at END,
        CASE WHEN u.id <> c.caller AND (k.accepted_at IS NOT NULL OR k.state = 'rejected') THEN 'phone' END,
        CASE WHEN u.id = c.caller THEN k.ended_at END,
        CASE WHEN u.id <> c.caller AND k.state = 'hung_up' THEN k.ended_at END,
        CASE WHEN u.id <> c.caller AND k.state = 'missed' THEN k.ended_at END
      FROM ${CALLS} JOIN calls k ON k.session_id = 'demo-' || c.ago JOIN users u ON u.id IN (c.caller, c.callee)
      WHERE k.application_id = $1`,
    demo_signals: `INSERT INTO call_signals (call_id, key, kind, from_user_id, from_device, to_user_id, first_at, last_at, count)
      SELECT k.id, gen_random_uuid(), s.kind::call_signal_kind, CASE WHEN s.back THEN c.callee ELSE c.caller END,
        CASE WHEN s.back THEN 'phone' ELSE 'desk' END, CASE WHEN s.back THEN c.caller ELSE c.callee END,
        s.at, s.at + s.length * interval '1 second', s.count
      FROM ${CALLS} JOIN calls k ON k.session_id = 'demo-' || c.ago, LATERAL (VALUES
        ('call', false, k.started_at, 0, 1), ('accept', true, k.accepted_at, 0, 1),
        ('iceCandidates', false, k.accepted_at + interval '0.2 seconds', 1.7, 6),
        ('iceCandidates', true, k.accepted_at + interval '0.3 seconds', 1.1, 4),
        ('update', false, CASE WHEN c.ended > 100 THEN k.accepted_at + interval '84 seconds' END, 0, 1),
        (CASE WHEN k.state = 'rejected' THEN 'reject' ELSE 'hangUp' END, k.state = 'rejected',
          CASE WHEN k.state <> 'missed' THEN k.ended_at END, 0, 1)
      ) AS s (kind, back, at, length, count) WHERE s.at IS NOT NULL AND k.application_id = $1`,
    demo_conferences: `INSERT INTO conferences (application_id, name, seats, video, access, origin, locked, bitrate,
        created_by, empty_since, created_at, closed_at)
      SELECT $1, c.name, c.seats, true, c.access::conference_access, 'graphql', c.locked, 600000, c.creator,
        CASE WHEN c.is_empty THEN now() END, now() - c.ago * interval '1 minute',
        CASE WHEN c.name LIKE 'Kick-off%' THEN now() - interval '20 hours' END
      FROM (VALUES ('Kick-off with Fabrikam', 12, 'everyone', false, 2, true, 1320), ('Design review', 6, 'everyone', false, 3, true, 130),
        ('Dispatch', 12, 'listed', true, 4, false, 75), ('Weekly planning', 8, 'everyone', false, 1, false, 34)
      ) AS c (name, seats, access, locked, creator, is_empty, ago)`,
    demo_conference_participants: `INSERT INTO conference_members (conference_id, number, user_id, name, device, moderator,
        publishing, screen, audio_muted, video_muted, audio_blocked, lease_until, joined_at, left_at, leave_reason)
      SELECT c.id, u.id, u.id, u.full_name, m.device, m.user_id = c.created_by, m.publishing, m.screen, m.audio_muted,
        m.video_muted, m.blocked, now() + interval '1 day', c.created_at + m.user_id * interval '40 seconds',
        c.closed_at, CASE WHEN c.closed_at IS NOT NULL THEN 'conference_closed' END
      FROM (VALUES ('Weekly planning', 1, 'desk', true, true, false, false, false), ('Weekly planning', 2, 'phone', true, false, false, false, true),
        ('Weekly planning', 3, 'laptop', true, false, true, false, false), ('Weekly planning', 5, 'tablet', false, false, false, false, false),
        ('Dispatch', 4, 'desk', true, false, false, true, false), ('Dispatch', 6, 'phone', true, false, false, false, false),
        ('Kick-off with Fabrikam', 2, 'phone', false, false, false, false, false), ('Kick-off with Fabrikam', 6, 'desk', false, false, false, false, false)
      ) AS m (name, user_id, device, publishing, screen, audio_muted, video_muted, blocked)
      JOIN conferences c ON c.name = m.name AND c.application_id = $1 JOIN users u ON u.id = m.user_id`,
    demo_conference_links: `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, uses, created_at)
      SELECT id, sha256(name::bytea), now() + interval '23 hours', 5, 2, created_at FROM conferences
      WHERE name = 'Weekly planning' AND application_id = $1`,
  };
  for (const [name, text] of Object.entries(statements)) {
    await store.query({ name, text }, [applicationId]);
  }
}
