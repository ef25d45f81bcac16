// Runs TypeScript without a build, for tests, npm run check and npm run generate: node -r tools/run-typescript.js FILE.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join, relative } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { version } = require("@swc/core/package.json");
const [, options] = require("../jest.suites.js").TRANSFORM;

// The embedded database is WebAssembly. V8 compiles it twice, fast at first and then well: two seconds of processor time,
// which a short process does not get back.
setFlagsFromString("--liftoff-only");

const ROOT = join(__dirname, "..");

/**
 * The last compiled form of each file, behind a line with the hash of what it was made of: tests start hundreds of
 * processes that load the same files.
 */
const CACHE = join(ROOT, "node_modules/.cache/signalbox/compiled");
const SETTINGS = JSON.stringify([version, options]);

function hashOf(...texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex");
}

/** What a cache file contains; null without one. */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Writes a file at once, since other processes read and write the same one. */
function write(path, text) {
  mkdirSync(CACHE, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

function compile(filename) {
  const source = readFileSync(filename, "utf8");
  const head = `${hashOf(SETTINGS, source)}\n`;
  const path = join(CACHE, hashOf(relative(ROOT, filename)));
  const compiled = read(path);
  if (compiled?.startsWith(head)) return compiled.slice(head.length);
  // Loaded only now: most processes find every file compiled.
  const { code } = require("@swc/core").transformSync(source, { ...options, filename });
  write(path, head + code);
  return code;
}

require.extensions[".ts"] = (module, filename) => module._compile(compile(filename), filename);
