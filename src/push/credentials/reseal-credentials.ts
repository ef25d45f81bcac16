import { withKeyCheck } from "../../applications/secret-key";
import type { Sealer } from "../../core/sealer";
import type { Store } from "../../store/store";
import { streamRows } from "../../store/stream-rows";
import type { PushService } from "../channels/channel";
import { purposeOf } from "./sealed-credentials";

const SECRETS = {
  name: "all_push_secrets",
  text: "SELECT id, service, secret FROM push_credentials WHERE id > $1 ORDER BY id LIMIT 500",
};

const RESEAL = {
  name: "reseal_push_secret",
  // Compare-and-set: another node or the owner may have changed the row.
  text: "UPDATE push_credentials SET secret = $2 WHERE id = $1 AND secret = $3",
};

interface SecretRow {
  id: number;
  service: PushService;
  secret: string;
}

/**
 * Re-encrypts secrets of push credentials under the first key. Decrypts every secret, so that a start with
 * wrong keys fails.
 * @throws Refusal if a secret cannot be decrypted
 */
export async function resealCredentials(store: Store, sealer: Sealer): Promise<void> {
  for await (const row of streamRows<SecretRow>(store, SECRETS)) {
    // Decrypted even if it is not stale, to verify the keys.
    const text = openRow(sealer, row);
    if (!sealer.isStale(row.secret)) continue;
    await store.query(RESEAL, [row.id, sealer.seal(text, purposeOf(row.service)), row.secret]);
  }
}

/**
 * Decrypts every secret of push credentials without changing anything.
 * @returns the number of credentials
 * @throws Refusal if a secret cannot be decrypted
 */
export async function verifyCredentialSecrets(
  store: Pick<Store, "query">,
  sealer: Sealer,
): Promise<number> {
  let credentials = 0;
  for await (const row of streamRows<SecretRow>(store, SECRETS)) {
    openRow(sealer, row);
    credentials++;
  }
  return credentials;
}

function openRow(sealer: Sealer, { service, secret }: SecretRow): string {
  return withKeyCheck(() => sealer.open(secret, purposeOf(service)));
}
