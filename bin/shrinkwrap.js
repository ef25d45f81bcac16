// Writes npm-shrinkwrap.json before npm packs the package: the part of package-lock.json that runs in production. npm applies
// `overrides` of the root alone, so an installed package needs it to get the same tree. With --remove it deletes the file
// after packing, since npm would use it here in place of package-lock.json.
const fs = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
const SHRINKWRAP = join(root, "npm-shrinkwrap.json");

/** The path of the package that the one at `from` loads by a name, by Node's rules; undefined if it is not locked. */
function pathOf(packages, name, from) {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  if (from === "") return undefined;
  const parent = from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1));
  return pathOf(packages, name, parent);
}

/** Names of the packages that npm installs with one. It installs an optional peer only for somebody else. */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const peers = Object.keys(peerDependencies ?? {});
  return [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    ...peers.filter((name) => !peerDependenciesMeta?.[name]?.optional),
  ];
}

/**
 * The lock file of a production install.
 * @param {{ packages: Record<string, object> }} lock package-lock.json of this repository
 * @returns the same without packages for development and without workspaces
 */
function productionLock(lock) {
  const { packages } = lock;
  const { name, version, license, dependencies, bin, engines } = packages[""];
  const kept = { "": { name, version, license, dependencies, bin, engines } };
  const waiting = [""];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const needed of neededBy(kept[from])) {
      const path = pathOf(packages, needed, from);
      if (path === undefined || path in kept) continue;
      const { dev, devOptional, ...entry } = packages[path];
      // What is optional here was not for development.
      kept[path] = devOptional ? { ...entry, optional: true } : entry;
      waiting.push(path);
    }
  }
  const sorted = Object.keys(packages).filter((path) => path in kept);
  return { ...lock, packages: Object.fromEntries(sorted.map((path) => [path, kept[path]])) };
}

module.exports = { productionLock };

if (require.main === module) {
  if (process.argv[2] === "--remove") {
    fs.rmSync(SHRINKWRAP, { force: true });
  } else {
    const lock = JSON.parse(fs.readFileSync(join(root, "package-lock.json"), "utf8"));
    fs.writeFileSync(SHRINKWRAP, `${JSON.stringify(productionLock(lock), null, 2)}\n`);
  }
}
