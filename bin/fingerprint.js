// A hash of the content of files, which says whether something made of them is still current.
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");

/** Paths of all files at and below a path, relative to the root. */
function filesIn(path, ignored) {
  if (!fs.existsSync(join(root, path))) return [];
  if (!fs.statSync(join(root, path)).isDirectory()) return [path];
  return fs
    .readdirSync(join(root, path))
    .filter((name) => !ignored.test(name))
    .sort()
    .flatMap((name) => filesIn(`${path}/${name}`, ignored));
}

/**
 * @param {string[]} paths of files and folders, relative to the root; they may be missing
 * @param {RegExp} [ignored] names of files and folders that do not count
 * @returns {string} a hash of the names and contents of all files
 */
function fingerprintOf(paths, ignored = /^node_modules$/) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((name) => filesIn(name, ignored))) {
    const content = fs.readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("base64url");
}

module.exports = { fingerprintOf };
