import { findProgram, run } from "../../scripts/services/binaries";

/**
 * Raises the limit of open files for this process and its children.
 * @throws Error if the system does not allow it
 */
export async function raiseFileLimit(files: number): Promise<void> {
  const program = findProgram("prlimit");
  const args = ["--pid", String(process.pid)];
  const { stdout } = await run(program, [...args, "--nofile", "--output", "SOFT", "--noheadings"]);
  const soft = stdout.trim();
  if (soft === "unlimited" || Number(soft) >= files) return;
  await run(program, [...args, `--nofile=${files}:${files}`]);
}
