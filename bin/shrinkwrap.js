// Writes the lock files of the package before npm packs it: parts of package-lock.json. npm applies `overrides` of the root
// alone, so an installed package needs a shrinkwrap to get the same tree. With --remove it deletes them after packing, since
// npm would use npm-shrinkwrap.json here in place of package-lock.json.
//
// From the shrinkwrap of a dependency npm installs the optional packages of every platform. Packages with programs are
// therefore peers, of which npm installs those of the platform beside signalbox, in the versions that package.json names.
const fs = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
/** Lock files by path, and whether they lock the peers: not where npm installs signalbox as a dependency. */
const LOCK_FILES = { "npm-shrinkwrap.json": false, "deploy/npm-shrinkwrap.json": true };

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
 * @param {boolean} withPeers whether it has the peers of the root
 * @returns the same without packages for development and without workspaces
 */
function productionLock(lock, withPeers) {
  const { packages } = lock;
  const { name, version, license, dependencies, bin, engines, peerDependencies } = packages[""];
  const kept = { "": { name, version, license, dependencies, bin, engines, peerDependencies } };
  const waiting = [""];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const needs = neededBy(from === "" && !withPeers ? { dependencies } : kept[from]);
    for (const needed of needs) {
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
  const lock = JSON.parse(fs.readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, withPeers] of Object.entries(LOCK_FILES)) {
    const file = join(root, path);
    if (process.argv[2] === "--remove") fs.rmSync(file, { force: true });
    else fs.writeFileSync(file, `${JSON.stringify(productionLock(lock, withPeers), null, 2)}\n`);
  }
}
