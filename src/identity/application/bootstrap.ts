import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId, newToken } from "../../core/random";
import type { Sealer } from "../../core/sealer";
import type { Store } from "../../store/store";
import { AUTH_SECRET } from "./secret-key";

/** What the first start makes, and writes to `DATA_DIR/credentials.json` in these words. */
export interface Credentials {
  base_url: string;
  graphql_url: string;
  chat_url: string;
  chat_domain: string;
  application_id: number;
  auth_key: string;
  auth_secret: string;
  account_key: string;
}

/** Where clients find this deployment. */
export type Addresses = Pick<Credentials, "base_url" | "graphql_url" | "chat_url" | "chat_domain">;

/** Name of the file in the data folder. */
export const CREDENTIALS_FILE = "credentials.json";

/** Key of the advisory lock under which processes that start at once decide who is first. */
const LOCK = 5291_4000;

const ANY_ACCOUNT = { name: "any_account", text: "SELECT 1 AS one FROM accounts LIMIT 1" };

/**
 * On an empty database creates an account and an application, and writes their credentials, readable
 * by the owner alone. Otherwise changes nothing.
 * @returns what was created, or null
 */
export async function bootstrap(
  store: Store,
  sealer: Sealer,
  dataDir: string,
  addresses: Addresses,
): Promise<Credentials | null> {
  // Not through Prisma, whose query compiler takes 70 MB and a third of a second to load: a node that
  // starts again can do without until somebody signs up.
  if ((await store.query(ANY_ACCOUNT, [])).length > 0) return null;
  return store.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`;
    if ((await tx.account.findFirst({ select: { id: true } })) !== null) return null;
    const account = await tx.account.create({
      data: { name: "First account", accountKey: newToken() },
    });
    const authSecret = newToken();
    const application = await tx.application.create({
      data: {
        accountId: account.id,
        name: "First application",
        authKey: newId(),
        authSecret: sealer.seal(authSecret, AUTH_SECRET),
      },
    });
    const credentials: Credentials = {
      ...addresses,
      application_id: Number(application.id),
      auth_key: application.authKey,
      auth_secret: authSecret,
      account_key: account.accountKey,
    };
    // Before the commit: a process that dies here leaves an empty database, and the next start
    // writes the file anew. The other way round the secret would be lost.
    await writeCredentials(dataDir, credentials);
    return credentials;
  });
}

async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, CREDENTIALS_FILE);
  const temporary = `${path}.${newId()}`;
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
