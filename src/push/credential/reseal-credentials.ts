import type { Sealer } from "../../core/sealer";
import { orRefuse } from "../../identity/application/secret-key";
import { everyRow } from "../../store/every-row";
import type { Store } from "../../store/store";
import type { PushService } from "../channel";
import { purposeOf } from "./stored-credentials";

const SECRETS = {
  name: "all_push_secrets",
  text: "SELECT id, service, secret FROM push_credentials WHERE id > $1 ORDER BY id LIMIT 500",
};

const RESEAL = {
  name: "reseal_push_secret",
  // Unless another node, or the owner, was faster.
  text: "UPDATE push_credentials SET secret = $2 WHERE id = $1 AND secret = $3",
};

interface SecretRow {
  id: number;
  service: PushService;
  secret: string;
}

/**
 * Seals under the first key what push credentials hold under an older one; shows at the start that
 * the keys are the right ones.
 * @throws Refusal when a secret cannot be opened
 */
export async function resealCredentials(store: Store, sealer: Sealer): Promise<void> {
  for await (const row of everyRow<SecretRow>(store, SECRETS)) {
    // Opened in any case, to show that the keys are the right ones.
    const text = openRow(sealer, row);
    if (!sealer.isStale(row.secret)) continue;
    await store.query(RESEAL, [row.id, sealer.seal(text, purposeOf(row.service)), row.secret]);
  }
}

/**
 * Opens every secret of push credentials and changes nothing.
 * @returns the number of credentials
 * @throws Refusal when one cannot be opened
 */
export async function openCredentialSecrets(
  store: Pick<Store, "query">,
  sealer: Sealer,
): Promise<number> {
  let credentials = 0;
  for await (const row of everyRow<SecretRow>(store, SECRETS)) {
    openRow(sealer, row);
    credentials++;
  }
  return credentials;
}

function openRow(sealer: Sealer, { service, secret }: SecretRow): string {
  return orRefuse(() => sealer.open(secret, purposeOf(service)));
}
