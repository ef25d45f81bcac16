import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "./fault";

/** The files of a tree that git lists, relative to its root. */
function filesOf(tree: string, ...which: string[]): string[] {
  const list = ["ls-files", "--exclude-standard", "-z", ...which];
  const names = execFileSync("git", list, { cwd: tree, encoding: "utf8", maxBuffer: 2 ** 26 });
  return names.split("\0").filter(Boolean);
}

/** A temporary copy of a tree, which shares its packages. */
export class TreeCopy {
  readonly root = mkdtempSync(join(tmpdir(), "planted-faults-"));
  /** What Jest has compiled of the copy, which is gone with it. */
  readonly jestCache = join(this.root, "dist/jest");

  /** Copies what git knows or would add, the generated sources, and the build. */
  constructor(tree: string) {
    const known = filesOf(tree, "--cached", "--others");
    // Git ignores nothing else among the sources.
    const folders = ["src", "client/src", "dashboard/src"];
    const generated = filesOf(tree, "--others", "--ignored", "--", ...folders);
    for (const name of [...known, ...generated, "dist"]) {
      if (!existsSync(join(tree, name))) continue;
      // Compilation looks at the times of sources.
      const options = { recursive: true, preserveTimestamps: true };
      cpSync(join(tree, name), join(this.root, name), options);
    }
    symlinkSync(join(tree, "node_modules"), join(this.root, "node_modules"));
  }

  /** Plants a fault. */
  plant({ file, planted }: Place): void {
    writeFileSync(join(this.root, file), planted);
  }

  /** Removes a planted fault. */
  restore({ file, original }: Place): void {
    writeFileSync(join(this.root, file), original);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}
