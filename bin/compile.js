// Compiles the TypeScript sources to dist/, each file on its own and only if it has changed. Types are not
// checked: npm run check does that. A file that was compiled before counts as unchanged if its size and time
// are the same, or else its content.
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { dirname, join } = require("node:path");
const { PRISMA_CLIENT } = require("./generated.js");

const root = join(__dirname, "..");
const RECORD = join(root, "dist/compiled.json");
/** The package for browsers: ES modules, which the pages of demo/ load. */
const CLIENT = "client/src";
const SETTINGS = [
  "tsconfig.json",
  "client/tsconfig.json",
  "bin/compile.js",
  "node_modules/typescript/package.json",
];

/** Folders with sources, from the first that everything needs to those that only developers run. */
const FOLDERS = ["src", CLIENT, "demo", "scripts", "bench", "fuzz", "tools"];

/** The folders that a program in one of them needs. */
function foldersFor(program) {
  const [folder] = program.split("/");
  if (folder === "src") return ["src"];
  return folder === "demo" ? ["src", CLIENT, "demo"] : FOLDERS;
}

const isSource = (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts");
const outputOf = (path) => join(root, "dist", path.replace(/\.tsx?$/, ".js"));
const hashOf = (content) => createHash("sha256").update(content).digest("base64");

/** Paths of the sources in a folder, relative to the root. */
function sourcesIn(folder) {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(path);
    return isSource(entry.name) ? [path] : [];
  });
}

/** What was compiled before: the settings, and the size, time and hash of each source. */
function readRecord() {
  try {
    return JSON.parse(fs.readFileSync(RECORD, "utf8"));
  } catch {
    return null;
  }
}

/** The record, or an empty one if other settings were used. */
function recordFor(settings) {
  const record = readRecord();
  return record?.settings === settings ? record : { settings, files: {} };
}

/** Writes a file at once, since another process may be reading it. */
function write(path, text) {
  fs.mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, path);
}

function hashOfSettings() {
  const read = (name) => fs.readFileSync(join(root, name), "utf8");
  // A deployment of the service alone has no client/.
  return hashOf(SETTINGS.map((name) => (fs.existsSync(join(root, name)) ? read(name) : "")).join());
}

/** Whether the compiler is installed. A deployment may do without it. */
function hasCompiler() {
  return fs.existsSync(join(root, "node_modules/typescript/package.json"));
}

/** Whether this user may write the build. A read-only file system counts, also for root. */
function canWriteBuild() {
  const dist = join(root, "dist");
  try {
    fs.accessSync(fs.existsSync(dist) ? dist : root, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The sources of some folders that differ from the record, and those that are gone. */
function compare(record, folders) {
  const changed = new Map();
  const touched = new Map();
  const present = new Set();
  for (const path of folders.filter((name) => fs.existsSync(join(root, name))).flatMap(sourcesIn)) {
    present.add(path);
    const { size, mtimeMs } = fs.statSync(join(root, path));
    const known = record.files[path];
    if (known?.size === size && known.mtimeMs === mtimeMs) continue;
    const text = fs.readFileSync(join(root, path), "utf8");
    const hash = hashOf(text);
    (known?.hash === hash ? touched : changed).set(path, { size, mtimeMs, hash, text });
  }
  const removed = Object.keys(record.files).filter(
    (path) => !present.has(path) && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
  return { changed, touched, removed };
}

/** Whether the sources of some folders have changed since they were compiled; a new time alone is no change. */
function hasChanged(folders) {
  const { changed, removed } = compare(recordFor(hashOfSettings()), folders);
  return changed.size + removed.length > 0;
}

/**
 * Whether the build is outdated, where it cannot be renewed. Without sources or a record nothing is known. Generated
 * sources may be missing.
 */
function isOutdated() {
  const record = readRecord();
  if (record === null || !fs.existsSync(join(root, "src"))) return false;
  const { changed, removed } = compare(record, ["src"]);
  return changed.size > 0 || removed.some((path) => !path.startsWith(`${PRISMA_CLIENT}/`));
}

/** Compiler options; isolatedModules in the configuration makes every file compile on its own. */
function readOptions(ts, configuration) {
  const { config } = ts.readConfigFile(join(root, configuration), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(
    config.compilerOptions,
    dirname(join(root, configuration)),
  );
  return { ...options, declaration: false, noEmit: false, incremental: false, sourceMap: true };
}

/** Compiles one file. @throws Error with the place of a syntax error */
function compileFile(ts, options, path, text) {
  const fileName = join(root, path);
  const { outputText, sourceMapText, diagnostics } = ts.transpileModule(text, {
    compilerOptions: options,
    fileName,
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0) {
    throw new Error(
      ts.formatDiagnostics(diagnostics, {
        getCurrentDirectory: () => root,
        getCanonicalFileName: (name) => name,
        getNewLine: () => "\n",
      }),
    );
  }
  const map = JSON.parse(sourceMapText);
  write(`${outputOf(path)}.map`, JSON.stringify({ ...map, sources: [fileName] }));
  write(outputOf(path), outputText);
}

/**
 * Compiles the changed sources of some folders, and deletes the output of those that are gone.
 * @param {string[]} folders
 * @param {(text: string) => void | ((done: string) => void)} report is called once if there is something to compile; what
 *   it returns is called when that is done
 * @returns {boolean} whether anything has changed
 * @throws Error for a syntax error
 */
function compileChanged(folders, report) {
  const settings = hashOfSettings();
  const record = recordFor(settings);
  const { changed, touched, removed } = compare(record, folders);
  if (changed.size + touched.size + removed.length === 0) return false;
  if (changed.size > 0) {
    const sources = changed.size === 1 ? "1 changed source" : `${changed.size} changed sources`;
    const done = report(`Compiling ${sources} …`);
    const ts = require("typescript");
    const options = readOptions(ts, "tsconfig.json");
    const isOfClient = ([path]) => path.startsWith(CLIENT);
    const clientOptions = [...changed].some(isOfClient) && {
      ...readOptions(ts, "client/tsconfig.json"),
      // What nodenext would find in client/package.json, which this compiler does not read.
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    };
    for (const entry of changed) {
      const [path, { text }] = entry;
      compileFile(ts, isOfClient(entry) ? clientOptions : options, path, text);
    }
    done?.(`Compiled ${sources}`);
  }
  for (const path of removed) {
    for (const output of [outputOf(path), `${outputOf(path)}.map`])
      fs.rmSync(output, { force: true });
    delete record.files[path];
  }
  for (const [path, { size, mtimeMs, hash }] of [...changed, ...touched]) {
    record.files[path] = { size, mtimeMs, hash };
  }
  write(RECORD, JSON.stringify(record));
  return changed.size + removed.length > 0;
}

module.exports = {
  FOLDERS,
  canWriteBuild,
  compileChanged,
  foldersFor,
  hasChanged,
  hasCompiler,
  isOutdated,
  outputOf,
};
