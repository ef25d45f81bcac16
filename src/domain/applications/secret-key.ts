import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../core/config";
import { newKey } from "../../core/random";
import { Sealer } from "../../core/sealer";
import { replaceFile } from "../../core/startup/replace-file";
import { decodeKey } from "../../core/variables/variable";
import type { Store } from "../../platform/store/store";
import { UnusableDatabaseError } from "../../platform/store/unusable-database-error";
import {
  replaceSecrets,
  replaceSettings,
  type SecretsRow,
  streamApplicationSecrets,
} from "./application-queries";
import { resealSettings } from "./settings";

/** Name of the key file in the data folder of the embedded database. */
export const SECRET_KEY_FILE = "secret.key";

/** Purpose that the sealer binds the secrets of applications to. */
export const AUTH_SECRET_PURPOSE = "auth_secret";

/**
 * Loads the keys that seal secrets: SECRET_KEY or, for the embedded database, a key file. The first start
 * creates the file, readable only by the process's system user.
 * @throws Refusal if the file does not contain a key
 */
export async function openSealer(config: Pick<Config, "SECRET_KEY" | "DATA_DIR">): Promise<Sealer> {
  const keys = config.SECRET_KEY ?? [await loadOrCreateKey(config.DATA_DIR)];
  return new Sealer(
    keys.map((text) => {
      const bytes = decodeKey(text);
      if (bytes === null) {
        throw new UnusableDatabaseError(
          `${join(config.DATA_DIR, SECRET_KEY_FILE)} does not contain a key. Restore the file from a backup of the folder: without it the secrets in the database cannot be decrypted.`,
        );
      }
      return bytes;
    }),
  );
}

async function loadOrCreateKey(folder: string): Promise<string> {
  const path = join(folder, SECRET_KEY_FILE);
  const stored = await readKey(path);
  if (stored !== "") return stored;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = newKey().toString("base64");
  await replaceFile(path, `${key}\n`, 0o600);
  return key;
}

/** The text of the key file; empty if there is none. A first start of an earlier version that was killed left it empty. */
async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "";
  }
}

/**
 * Re-encrypts with the first key every secret that is unencrypted or encrypted with an older key. Opens all
 * of them, so that wrong keys are detected at the start.
 * @throws Refusal if a secret cannot be opened
 */
export async function resealSecrets(store: Store, sealer: Sealer): Promise<void> {
  for await (const row of streamApplicationSecrets(store)) await resealRow(store, sealer, row);
}

/**
 * Checks that every secret of a database can be opened; read-only.
 * @returns the number of applications
 * @throws Refusal if a secret cannot be opened
 */
export async function verifySecrets(store: Pick<Store, "query">, sealer: Sealer): Promise<number> {
  let applications = 0;
  for await (const row of streamApplicationSecrets(store)) {
    openRow(sealer, row);
    applications++;
  }
  return applications;
}

/** Opens the secrets of a row. `settings` is null unless they have to be stored again. */
function openRow(
  sealer: Sealer,
  row: SecretsRow,
): { opened: string[]; settings: ReturnType<typeof resealSettings> } {
  return withKeyCheck(() => ({
    opened: sealedSecrets(row).map((text) => sealer.open(text, AUTH_SECRET_PURPOSE)),
    settings: resealSettings(row.settings, sealer),
  }));
}

function sealedSecrets({ auth_secret, previous_secret }: SecretsRow): string[] {
  return [auth_secret, previous_secret].filter((text) => text !== null);
}

async function resealRow(store: Store, sealer: Sealer, row: SecretsRow): Promise<void> {
  const { opened, settings } = openRow(sealer, row);
  if (sealedSecrets(row).some((text) => sealer.isStale(text))) {
    const [current = "", previous = null] = opened.map((text) =>
      sealer.seal(text, AUTH_SECRET_PURPOSE),
    );
    await replaceSecrets(store, row, current, previous);
  }
  if (settings !== null) {
    await replaceSettings(store, row, settings);
  }
}

/** Runs a function that opens secrets of the database. @throws Refusal if it fails */
export function withKeyCheck<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw new UnusableDatabaseError(
      "The secrets in the database were encrypted with another key: SECRET_KEY (or secret.key in the data folder) does not match this database.",
      { cause },
    );
  }
}
