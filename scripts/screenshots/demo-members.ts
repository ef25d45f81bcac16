import type { App } from "../../src/app";

/** Members beside the owner, who cannot sign in, and an invitation, without a mail. */
export async function addDemoMembers({ store }: App): Promise<void> {
  await store.query(
    {
      name: "demo_members",
      text: `INSERT INTO account_members (account_id, email, password_hash, role, created_at, last_activity_at)
        SELECT a.id, m.email, 'no hash', m.role::account_role, now() - m.days * interval '1 day', now() - m.ago::interval
        FROM (SELECT id FROM accounts ORDER BY id LIMIT 1) a, (VALUES
          ('ann.moreau@field.example', 'owner', 210, '3 hours'), ('ben.okafor@field.example', 'developer', 180, '12 minutes'),
          ('chiara.conti@field.example', 'developer', 64, '5 days'), ('emma.lind@field.example', 'support', 12, NULL)
        ) AS m (email, role, days, ago)`,
    },
    [],
  );
  await store.query(
    {
      name: "demo_invitations",
      text: `INSERT INTO account_invitations (account_id, email, role, invited_by, created_at, expires_at)
        SELECT account_id, 'farid.aziz@field.example', 'support', id, now() - interval '4 hours',
          now() + interval '20 hours'
        FROM account_members WHERE email = 'ann.moreau@field.example'`,
    },
    [],
  );
}
