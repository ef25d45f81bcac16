import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestNode } from "../node";

/** Credentials of the owner of a node's first account, written at the first start. */
export function ownerCredentials(node: Pick<TestNode, "environment">): {
  email: string;
  password: string;
} {
  const { DATA_DIR = "" } = node.environment;
  return JSON.parse(readFileSync(join(DATA_DIR, "owner.json"), "utf8"));
}

/**
 * Creates a token of the owner of a node's application, without hashing a password.
 * @param hours lifetime; negative for an expired token
 */
export async function ownerToken({ sql, application }: TestNode, hours = 1): Promise<string> {
  const token = `acct_${randomBytes(32).toString("base64url")}`;
  await sql(
    `INSERT INTO account_sessions (account_id, token_hash, expires_at, last_activity_at)
      SELECT account_id, $2, now() + $3 * interval '1 hour', now() FROM applications WHERE id = $1`,
    [application.id, createHash("sha256").update(token).digest(), hours],
  );
  return token;
}
