import type { Sealer } from "../../../core/sealer";
import type { Store } from "../../../platform/store/store";
import { withKeyCheck } from "../../applications/secret-key";
import { replaceSecret, type StoredSecret, streamCredentialSecrets } from "./credential-queries";
import { purposeOf } from "./sealed-credentials";

/**
 * Re-encrypts secrets of push credentials under the first key. Decrypts every secret, so that a start with
 * wrong keys fails.
 * @throws Refusal if a secret cannot be decrypted
 */
export async function resealCredentials(store: Store, sealer: Sealer): Promise<void> {
  for await (const row of streamCredentialSecrets(store)) {
    // Decrypted even if it is not stale, to verify the keys.
    const text = openRow(sealer, row);
    if (!sealer.isStale(row.secret)) continue;
    await replaceSecret(store, row, sealer.seal(text, purposeOf(row.service)));
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
  for await (const row of streamCredentialSecrets(store)) {
    openRow(sealer, row);
    credentials++;
  }
  return credentials;
}

function openRow(sealer: Sealer, { service, secret }: StoredSecret): string {
  return withKeyCheck(() => sealer.open(secret, purposeOf(service)));
}
