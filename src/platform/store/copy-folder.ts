import { constants } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Number of files that are copied at once: as many as Node.js has threads for files. */
const CONCURRENT = 4;

/**
 * Copies a folder. A file system that can shares the blocks of the files. `cp` of Node.js takes ten times longer.
 * @param checkStop stops the copy before the next file by an error
 * @throws that error. No file is written after the end
 */
export async function copyFolder(from: string, to: string, checkStop: () => void): Promise<void> {
  const files: string[] = [];
  await makeFolders(from, to, "", files);
  const next = files.values();
  const copyOn = async () => {
    for (const path of next) {
      checkStop();
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
    }
  };
  const copies = await Promise.allSettled(Array.from({ length: CONCURRENT }, copyOn));
  // Only after the others, so that nothing writes to a copy that is being removed.
  const failed = copies.find((copy) => copy.status === "rejected");
  if (failed) throw failed.reason;
}

/** Makes the folders of the copy, and lists the files, relative to `from`. */
async function makeFolders(from: string, to: string, at: string, files: string[]): Promise<void> {
  await mkdir(join(to, at), { mode: 0o700 });
  for (const entry of await readdir(join(from, at), { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (entry.isDirectory()) await makeFolders(from, to, path, files);
    else files.push(path);
  }
}
