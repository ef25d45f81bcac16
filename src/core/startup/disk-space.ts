import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

const MIB = 1024 * 1024;

/**
 * Free space below which the disk counts as full, in bytes: two segments of the write-ahead log of the embedded database,
 * which cannot be sure to store another change then.
 */
export const DISK_FULL_BYTES = 32 * MIB;
/** Free space below which an operator is warned, in bytes. */
export const DISK_LOW_BYTES = 512 * MIB;
/** What the first start with the embedded database needs, in bytes. */
export const FIRST_START_BYTES = 192 * MIB;

/**
 * The free space for the process's user on the disk of a folder, or of the nearest folder above that exists, in bytes.
 * @returns null if the system does not tell
 */
export async function freeSpace(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === folder) return null;
    return freeSpace(parent);
  }
}

/** Formats a size for people, in MB or GB of 1024. */
export function sizeText(bytes: number): string {
  const mib = bytes / MIB;
  return mib < 1024 ? `${Math.floor(mib)} MB` : `${Math.floor(mib / 1024)} GB`;
}
