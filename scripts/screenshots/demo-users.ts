import type { App } from "../../src/app";

/** Completes the profiles of an application's users: tags, times, somebody who is blocked, and a guest. */
export async function addDemoProfiles({ store }: App, applicationId: string): Promise<void> {
  const statements = {
    demo_profiles: `UPDATE users SET phone = '+49 151 5550' || (100 + id), timezone = 60, external_id = 'crm-' || (4100 + id),
        custom_data = '{"van":"M-FS ' || (110 + id) || '"}', created_at = now() - (40 - id) * interval '31 hours',
        last_request_at = now() - id * interval '17 minutes'
      WHERE application_id = $1`,
    demo_tags: `INSERT INTO user_tags (application_id, user_id, tag, position)
      SELECT application_id, id, (ARRAY['north', 'dispatcher', 'south', 'night shift'])[1 + (id + n) % 4], n
      FROM users, generate_series(1, 2) AS n WHERE application_id = $1`,
    demo_block: `UPDATE users SET blocked_at = now() - interval '2 days',
        block_reason = 'Phone lost on Monday. Unblock when the new one is here.'
      WHERE application_id = $1 AND login = 'dario.weiss'`,
    demo_ended: `DELETE FROM sessions WHERE application_id = $1
      AND user_id IN (SELECT id FROM users WHERE blocked_at IS NOT NULL)`,
    demo_guest: `INSERT INTO users (application_id, login, login_key, is_guest, updated_at)
      VALUES ($1, 'guest-7f3a91c2', 'guest-7f3a91c2', true, now())`,
  };
  for (const [name, text] of Object.entries(statements)) {
    await store.query({ name, text }, [applicationId]);
  }
}
