import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId, newToken } from "../../core/random";
import type { Sealer } from "../../core/sealer";
import type { Store } from "../../store/store";
import { hashPassword } from "../password";
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

/** What the account's owner signs in with, written to `DATA_DIR/owner.json` in these words. */
export interface OwnerCredentials {
  email: string;
  password: string;
}

/** Name of the owner's file in the data folder. */
export const OWNER_FILE = "owner.json";
/** E-mail of the first account's owner, until the owner changes it. */
const OWNER_EMAIL = "owner@localhost";

/** Key of the advisory lock under which processes that start at once decide who is first. */
const LOCK = 5291_4000;

const FIRST_ACCOUNT = {
  name: "first_account",
  text: "SELECT email FROM accounts ORDER BY id LIMIT 1",
};

/**
 * On an empty database creates an account with its owner and an application, and writes the
 * credentials of both, readable by this user of the machine alone. Gives an owner to the first account
 * of a database that was made before there were any. Otherwise changes nothing.
 * @returns what was created of an application, or null
 */
export async function bootstrap(
  store: Store,
  sealer: Sealer,
  dataDir: string,
  addresses: Addresses,
): Promise<Credentials | null> {
  // Not through Prisma, whose query compiler takes 70 MB and a third of a second to load: a node that
  // starts again can do without until somebody signs up.
  const [first] = await store.query<{ email: string | null }>(FIRST_ACCOUNT, []);
  if (first && first.email !== null) return null;
  const owner: OwnerCredentials = { email: OWNER_EMAIL, password: newToken() };
  const passwordHash = await hashPassword(owner.password);
  return store.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`;
    const found = await tx.account.findFirst({
      orderBy: { id: "asc" },
      select: { id: true, email: true },
    });
    if (found !== null) {
      const { id, email } = found;
      if (email !== null || (await tx.account.count({ where: { email: owner.email } })) > 0) {
        return null;
      }
      await tx.account.update({ where: { id }, data: { email: owner.email, passwordHash } });
      await writeSecretFile(dataDir, OWNER_FILE, owner);
      return null;
    }
    const account = await tx.account.create({
      data: {
        name: "First account",
        accountKey: newToken(),
        email: owner.email,
        passwordHash,
      },
    });
    const authSecret = newToken();
    const application = await tx.application.create({
      data: {
        accountId: account.id,
        name: "First application",
        authKey: newId(),
        webOrigins: [],
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
    // writes the files anew. The other way round the secrets would be lost.
    await writeSecretFile(dataDir, OWNER_FILE, owner);
    await writeSecretFile(dataDir, CREDENTIALS_FILE, credentials);
    return credentials;
  });
}

async function writeSecretFile(dataDir: string, name: string, content: object): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, name);
  const temporary = `${path}.${newId()}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
