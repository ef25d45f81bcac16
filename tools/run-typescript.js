// Runs TypeScript without a build, for tests, npm run check and npm run generate: node -r tools/run-typescript.js FILE.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { version } = require("@swc/core/package.json");
const [, options] = require("../jest.suites.js").TRANSFORM;

/** Compiled files, by a hash of what they were made of: tests start hundreds of processes that load the same ones. */
const CACHE = join(__dirname, "../node_modules/.cache/signalbox/compiled");
const SETTINGS = JSON.stringify([version, options]);

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
  const path = join(CACHE, createHash("sha256").update(SETTINGS).update(source).digest("hex"));
  const compiled = read(path);
  if (compiled !== null) return compiled;
  // Loaded only now: most processes find every file compiled.
  const { code } = require("@swc/core").transformSync(source, { ...options, filename });
  write(path, code);
  return code;
}

require.extensions[".ts"] = (module, filename) => module._compile(compile(filename), filename);
