import { open, rename, rm } from "node:fs/promises";
import { newId } from "../random";

/**
 * Replaces or creates a file. It has either its old or its new content at any time, even after a crash of the machine.
 * @param mode permissions of the file, such as 0o600
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${newId()}`;
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    // It may hold a secret.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
