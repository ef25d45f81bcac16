import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { insertAccount, lockFirstAccount } from "../accounts/account-queries";
import { addFirstOwner, hasOwner, insertAccountMember } from "../accounts/member-queries";
import { insertApplication } from "../applications/owned-applications";
import { newId, newToken } from "../core/random";
import type { Sealer } from "../core/sealer";
import { hashPassword } from "../passwords/password";
import type { Store } from "../store/store";

/** The endpoints and the first application's credentials, as `DATA_DIR/credentials.json` stores them. */
export interface InitialCredentials {
  base_url: string;
  graphql_url: string;
  chat_url: string;
  chat_domain: string;
  application_id: number;
  auth_key: string;
  auth_secret: string;
  account_key: string;
}

/** The endpoints of this deployment. */
export type DeploymentEndpoints = Pick<
  InitialCredentials,
  "base_url" | "graphql_url" | "chat_url" | "chat_domain"
>;

/** Name of the credentials file in the data folder. */
export const CREDENTIALS_FILE = "credentials.json";

/** The credentials of the account's owner, as `DATA_DIR/owner.json` stores them. */
export interface OwnerCredentials {
  email: string;
  password: string;
}

/** Name of the owner's file in the data folder. */
export const OWNER_FILE = "owner.json";
/** Initial e-mail of the first account's owner. */
const OWNER_EMAIL = "owner@localhost";

/**
 * Initializes an empty database: creates an account with its owner and an application, and writes their
 * credentials to files that only the process's system user can read. If the first account of an older
 * database has no owner, creates one. Otherwise only updates the addresses in the credentials file.
 * @returns the credentials of a created application, or null
 */
export async function bootstrap(
  store: Store,
  sealer: Sealer,
  dataDir: string,
  addresses: DeploymentEndpoints,
): Promise<InitialCredentials | null> {
  // Avoids Prisma, whose query compiler takes 70 MB and a third of a second to load: a restarted node does
  // not need it until a user signs up.
  if (await hasOwner(store)) {
    await updateAddresses(dataDir, addresses);
    return null;
  }
  const owner: OwnerCredentials = { email: OWNER_EMAIL, password: newToken() };
  const passwordHash = await hashPassword(owner.password);
  return store.transaction(async (transaction) => {
    const found = await lockFirstAccount(transaction);
    if (found !== null) {
      if (!(await addFirstOwner(transaction, found, owner.email, passwordHash))) return null;
      await writeSecretFile(dataDir, OWNER_FILE, owner);
      return null;
    }
    const account = await insertAccount(transaction, "First account");
    const { id: accountId } = account;
    await insertAccountMember(transaction, {
      accountId,
      email: owner.email,
      passwordHash,
      role: "owner",
    });
    const application = await insertApplication(
      transaction,
      sealer,
      accountId,
      "First application",
    );
    const credentials: InitialCredentials = {
      ...addresses,
      application_id: application.id,
      auth_key: application.authKey,
      auth_secret: application.authSecret,
      account_key: account.accountKey,
    };
    // Before the commit: if the process dies here, the database stays empty and the next start rewrites
    // the files. After the commit, the secrets would be lost.
    await writeSecretFile(dataDir, OWNER_FILE, owner);
    await writeSecretFile(dataDir, CREDENTIALS_FILE, credentials);
    return credentials;
  });
}

/** Stores the current addresses in an existing credentials file: a start may listen elsewhere than the first one. */
async function updateAddresses(dataDir: string, addresses: DeploymentEndpoints): Promise<void> {
  let stored: InitialCredentials;
  try {
    stored = JSON.parse(await readFile(join(dataDir, CREDENTIALS_FILE), "utf8"));
  } catch {
    return;
  }
  const current = { ...stored, ...addresses };
  if (JSON.stringify(current) === JSON.stringify(stored)) return;
  await writeSecretFile(dataDir, CREDENTIALS_FILE, current);
}

async function writeSecretFile(dataDir: string, name: string, content: object): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, name);
  const temporary = `${path}.${newId()}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
