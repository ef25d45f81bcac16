import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder of the package, with `prisma` and `schema` in it, whether this runs from the sources or
 * built.
 * @throws Error when the package is incomplete
 */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package's own folder cannot be found");
    folder = parent;
  }
  return folder;
}

/** The version of the package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")).version;
}
