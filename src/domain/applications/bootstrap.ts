import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { newToken } from "../../core/random";
import type { Sealer } from "../../core/sealer";
import { replaceFile } from "../../core/startup/replace-file";
import type { Store } from "../../platform/store/store";
import { insertAccount, lockFirstAccount } from "../accounts/account-queries";
import {
  addFirstOwner,
  findMemberCredentials,
  hasOwner,
  insertAccountMember,
} from "../accounts/member-queries";
import { hashPassword } from "../passwords/password";
import { insertApplication } from "./owned-applications";

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
/**
 * Name of the file that holds what a transaction creates until it is committed: a process that ends before the commit
 * leaves no credentials that do not exist, and one that ends afterwards loses none.
 */
const DRAFT_FILE = "first-account.json";

/** What {@link DRAFT_FILE} stores. */
interface Draft {
  owner: OwnerCredentials;
  /** Hash of the owner's password. The database has it once the transaction is committed. */
  passwordHash: string;
  /** Null if the account existed. */
  credentials: InitialCredentials | null;
}

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
    await publishDraft(store, dataDir);
    await updateAddresses(dataDir, addresses);
    return null;
  }
  const owner: OwnerCredentials = { email: OWNER_EMAIL, password: newToken() };
  const passwordHash = await hashPassword(owner.password);
  const created = await store.transaction(async (transaction) => {
    const found = await lockFirstAccount(transaction);
    if (found !== null) {
      if (!(await addFirstOwner(transaction, found, owner.email, passwordHash))) return null;
      await writeDraft(dataDir, { owner, passwordHash, credentials: null });
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
    await writeDraft(dataDir, { owner, passwordHash, credentials });
    return credentials;
  });
  await publishDraft(store, dataDir);
  return created;
}

function writeDraft(dataDir: string, draft: Draft): Promise<void> {
  return writeSecretFile(dataDir, DRAFT_FILE, draft);
}

/** Writes the files of a draft whose transaction is committed, and removes the draft. Without a draft it does nothing. */
async function publishDraft(store: Store, dataDir: string): Promise<void> {
  const path = join(dataDir, DRAFT_FILE);
  let draft: Draft;
  try {
    draft = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const { owner, passwordHash, credentials } = draft;
  const stored = await findMemberCredentials(store, { email: owner.email });
  if (stored?.passwordHash === passwordHash) {
    await writeOwnerFile(dataDir, owner);
    if (credentials !== null) await writeSecretFile(dataDir, CREDENTIALS_FILE, credentials);
  }
  await rm(path);
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

/** Writes the credentials of an owner to {@link OWNER_FILE}, readable only by the process's system user. */
export function writeOwnerFile(dataDir: string, owner: OwnerCredentials): Promise<void> {
  return writeSecretFile(dataDir, OWNER_FILE, owner);
}

async function writeSecretFile(dataDir: string, name: string, content: object): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await replaceFile(join(dataDir, name), `${JSON.stringify(content, null, 2)}\n`, 0o600);
}
