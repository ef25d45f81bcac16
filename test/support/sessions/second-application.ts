import { randomBytes } from "node:crypto";
import type { TestNode } from "../node";

/**
 * Adds another account with an application to a node's database.
 * @returns the node from the view of that application's clients
 */
export async function secondApplication(node: TestNode): Promise<TestNode> {
  const key = () => randomBytes(24).toString("base64url");
  const [authKey, authSecret, accountKey] = [key(), key(), key()];
  const [account] = await node.sql<{ id: number }>(
    `INSERT INTO accounts (name, account_key, updated_at) VALUES ('Second account', $1, now())
      RETURNING id`,
    [accountKey],
  );
  const [application] = await node.sql<{ id: number }>(
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
      VALUES ($1, 'Second application', $2, $3, '{}', now()) RETURNING id`,
    [account?.id, authKey, authSecret],
  );
  if (!application) throw new Error("no application was made");
  return { ...node, application: { id: application.id, authKey, authSecret, accountKey } };
}
