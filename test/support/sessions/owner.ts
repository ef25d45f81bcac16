import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MemberRole } from "../../../src/core/viewer";
import type { TestNode } from "../node";

/** Address of the member of {@link addMember}, who is removed by the next one. */
const FIXTURE = "fixture@example.com";

/** Credentials of the owner of a node's first account, written at the first start. */
export function ownerCredentials(node: Pick<TestNode, "environment">): {
  email: string;
  password: string;
} {
  const { DATA_DIR = "" } = node.environment;
  return JSON.parse(readFileSync(join(DATA_DIR, "owner.json"), "utf8"));
}

/** Creates a token of an owner of a node's application, as {@link memberToken} does. */
export async function ownerToken(node: TestNode, hours = 1): Promise<string> {
  return memberToken(node, "owner", hours);
}

/**
 * Creates a token of a member of the account of a node's application, without hashing a password. If the account has
 * no member with the role, it gets one that cannot sign in.
 * @param hours lifetime; negative for an expired token
 */
export async function memberToken(
  { sql, application }: TestNode,
  role: MemberRole,
  hours = 1,
): Promise<string> {
  const token = `acct_${randomBytes(32).toString("base64url")}`;
  await sql(
    `INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT account_id, $3, 'no hash', $2::account_role FROM applications a WHERE id = $1 AND NOT EXISTS
        (SELECT FROM account_members m WHERE m.account_id = a.account_id AND m.role = $2::account_role
          AND m.email <> $4)`,
    [application.id, role, `${role}-of-${application.id}@members.example`, FIXTURE],
  );
  await sql(
    `INSERT INTO account_sessions (member_id, token_hash, expires_at, last_activity_at)
      SELECT m.id, $3, now() + $4 * interval '1 hour', now() FROM account_members m
      JOIN applications a ON a.account_id = m.account_id
      WHERE a.id = $1 AND m.role = $2::account_role AND m.email <> $5 ORDER BY m.id LIMIT 1`,
    [application.id, role, createHash("sha256").update(token).digest(), hours, FIXTURE],
  );
  return token;
}

/** Adds a support member and an invitation to the account of a node's application, in place of earlier ones. */
export async function addMember({
  sql,
  application,
}: TestNode): Promise<{ memberId: string; invitationId: string }> {
  await sql("DELETE FROM account_members WHERE email = $1", [FIXTURE]);
  await sql("DELETE FROM account_invitations WHERE email = $1", [FIXTURE]);
  const [made] = await sql<{ member: number; invitation: number }>(
    `WITH a AS (SELECT account_id FROM applications WHERE id = $1),
      m AS (INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, $2, 'no hash', 'support' FROM a RETURNING id),
      i AS (INSERT INTO account_invitations (account_id, email, role, expires_at)
        SELECT account_id, $2, 'support', now() + interval '1 hour' FROM a RETURNING id)
      SELECT m.id AS member, i.id AS invitation FROM m, i`,
    [application.id, FIXTURE],
  );
  return { memberId: String(made?.member), invitationId: String(made?.invitation) };
}
