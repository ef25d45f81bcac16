import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The root folder of the package, which contains `prisma` and `schema`; works from the sources and the build.
 * @throws Error if the package is incomplete
 */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the root folder of the package was not found");
    folder = parent;
  }
  return folder;
}

/** The version of the package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")).version;
}
