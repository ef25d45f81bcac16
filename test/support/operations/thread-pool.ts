import { execFileSync } from "node:child_process";
import { mkdtempSync, readFile, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Occupies all threads that hash passwords: opening a FIFO blocks a thread until another side opens it.
 * @returns frees the threads
 */
export function blockThreadPool(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-threads-"));
  const paths = Array.from({ length: 4 }, (_, index) => join(folder, String(index)));
  execFileSync("mkfifo", paths);
  for (const path of paths) readFile(path, () => undefined);
  return () => {
    for (const path of paths) writeFileSync(path, "");
    rmSync(folder, { recursive: true });
  };
}
