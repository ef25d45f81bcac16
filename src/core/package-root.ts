import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The root folder of the package, which contains `prisma` and `schema`; works from the sources and the build.
 * @param inside a folder of another package
 * @throws Error if the package is incomplete
 */
export function packageRoot(inside = __dirname): string {
  let folder = inside;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the root folder of the package was not found");
    folder = parent;
  }
  return folder;
}

/** The version of the package. */
export function packageVersion(): string {
  return manifestOf(packageRoot()).version;
}

/** The name of the package, or of the one in another root folder. */
export function packageName(root = packageRoot()): string {
  return manifestOf(root).name;
}

function manifestOf(root: string): { name: string; version: string } {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}
