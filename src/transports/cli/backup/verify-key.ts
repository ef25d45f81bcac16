import type { Config } from "../../../core/config";
import { openSealer, verifySecrets } from "../../../domain/applications/secret-key";
import { statementsOver } from "../../../domain/health/checks/statements";
import { verifyCredentialSecrets } from "../../../domain/push/credentials/reseal-credentials";
import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";

/**
 * Decrypts every secret of a database that has all migrations.
 * @throws UnusableDatabaseError if the key is not the one that they were encrypted with
 */
export async function verifyKey(
  connection: MigrationConnection,
  config: Pick<Config, "SECRET_KEY" | "DATA_DIR">,
): Promise<void> {
  const sealer = await openSealer(config);
  const query = statementsOver(connection);
  await verifySecrets({ query }, sealer);
  await verifyCredentialSecrets({ query }, sealer);
}
