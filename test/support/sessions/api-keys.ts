import { randomBytes } from "node:crypto";
import { hashToken } from "../../../src/core/random";
import type { ApiKeyScope } from "../../../src/core/viewer";
import type { TestNode } from "../node";
import { memberToken } from "./owner";

/**
 * Adds an API key to the application of a node, created by a developer of its account.
 * @returns the key
 */
export async function newApiKey(node: TestNode, scopes: readonly ApiKeyScope[]): Promise<string> {
  const key = `sbk_${randomBytes(32).toString("base64url")}`;
  // Makes sure that the account has a developer.
  await memberToken(node, "developer");
  await node.sql(
    `INSERT INTO api_keys (application_id, name, key_hash, scopes, created_by)
      SELECT a.id, $2, $3, $4::text[]::api_key_scope[], m.id FROM applications a
      JOIN account_members m ON m.account_id = a.account_id AND m.role = 'developer'
      WHERE a.id = $1 ORDER BY m.id LIMIT 1`,
    [node.application.id, key.slice(0, 20), hashToken(key), scopes],
  );
  return key;
}
