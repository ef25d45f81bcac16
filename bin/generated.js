// Generates the files that are not kept in git, when their inputs have changed: the Prisma client, the typed operations
// of the client package and of the dashboard, and the files of packages for browsers. node bin/generated.js [FOLDER...] does only that. Nothing is
// downloaded. Each file is moved into place when it is complete, so that several processes may generate at the same time.
const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { dirname, join, relative } = require("node:path");
const pageFiles = require("./page-files.js");

const root = join(__dirname, "..");
const RECORD = join(root, "dist/generated.json");
/** The output folder that prisma/schema.prisma names. */
const PRISMA_CLIENT = "src/platform/store/generated";
const OPERATIONS_PROGRAM = "scripts/generate-operations.ts";

/** Paths of the files below a folder, which may be missing. */
function filesBelow(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const documentsIn = (folder) =>
  filesBelow(join(root, folder))
    .filter((path) => path.endsWith(".graphql"))
    .map((path) => relative(root, path));

/**
 * What one program generates.
 * @typedef {object} Group
 * @property {string} label what it is, for the report
 * @property {string} folder of the sources that need it, as compile.js names it
 * @property {string} needs the package that generates it
 * @property {() => string[]} inputs files whose content decides whether it is current, the main one first
 * @property {(draft: string) => string[]} program the arguments of Node.js; it writes below the folder `draft` as if that
 *   were the root
 */

/** @type {Record<string, Group>} */
const GROUPS = {
  prismaClient: {
    label: "Prisma client",
    folder: "src",
    needs: "prisma",
    inputs: () => ["prisma/schema.prisma"],
    program(draft) {
      // Prisma writes relative to its schema.
      const schema = join(draft, "prisma/schema.prisma");
      fs.mkdirSync(dirname(schema), { recursive: true });
      fs.copyFileSync(join(root, "prisma/schema.prisma"), schema);
      return ["node_modules/prisma/build/index.js", "generate", "--schema", schema];
    },
  },
  pageFiles: {
    label: "files of pages",
    folder: "src",
    needs: "graphiql",
    inputs: () => pageFiles.INPUTS,
    program: (draft) => ["bin/page-files.js", draft],
  },
  operations: {
    label: "typed operations",
    folder: "client/src",
    needs: "@graphql-codegen/core",
    inputs: () => [
      "schema/schema.graphql",
      "schema/codegen.ts",
      "scripts/typed-operations.ts",
      OPERATIONS_PROGRAM,
      ...documentsIn("client/operations"),
      ...documentsIn("dashboard/src"),
    ],
    program: (draft) => ["-r", "./tools/run-typescript.js", OPERATIONS_PROGRAM, draft],
  },
};

/** A hash of the inputs of a group and of the version that package.json names of its generator. */
function fingerprint({ needs, inputs }) {
  const { devDependencies = {} } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  const hash = createHash("sha256").update(`${devDependencies[needs]}\n`);
  for (const path of inputs()) {
    const content = fs.readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("base64url");
}

/** What was generated: for each group the fingerprint, and the paths of its files. */
function readRecord() {
  try {
    return JSON.parse(fs.readFileSync(RECORD, "utf8"));
  } catch {
    return {};
  }
}

/**
 * The names of the groups that some folders need and whose inputs have changed, or whose files are missing.
 * @param {string[]} folders as compile.js names them
 */
function outdatedGroups(folders) {
  const record = readRecord();
  return Object.entries(GROUPS).flatMap(([name, group]) => {
    if (!folders.includes(group.folder)) return [];
    // A deployment of the service alone has no client/.
    if (!group.inputs().every((path) => fs.existsSync(join(root, path)))) return [];
    const before = record[name];
    const isCurrent =
      before?.inputs === fingerprint(group) &&
      before.files.every((path) => fs.existsSync(join(root, path)));
    return isCurrent ? [] : [name];
  });
}

/** Runs a program of Node.js. @throws Error with what it printed, if it fails */
function run(args) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // Generation needs no schema engine; naming any executable prevents Prisma from downloading one.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
      CHECKPOINT_DISABLE: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(output.trim()));
    });
  });
}

/** Generates a group in a folder of its own, and moves its files to their places. */
async function generate(name) {
  const group = GROUPS[name];
  if (!fs.existsSync(join(root, "node_modules", group.needs))) {
    throw new Error(`the ${group.label} needs the package ${group.needs}: run npm ci`);
  }
  const inputs = fingerprint(group);
  const draft = join(root, `dist/generating-${name}.${process.pid}`);
  try {
    const args = group.program(draft);
    const given = filesBelow(draft);
    await run(args);
    const files = [];
    for (const path of filesBelow(draft).filter((file) => !given.includes(file))) {
      const place = join(root, relative(draft, path));
      fs.mkdirSync(dirname(place), { recursive: true });
      fs.renameSync(path, place);
      files.push(relative(root, place));
    }
    return { inputs, files };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Generates what some folders need and what has changed, and deletes what is no longer generated.
 * @param {string[]} folders as compile.js names them
 * @param {(text: string) => void | ((done: string) => void)} report is called once if there is something to generate; what
 *   it returns is called when that is done
 * @returns {Promise<boolean>} whether anything was generated
 * @throws Error with the text of a generator that failed
 */
async function generateChanged(folders, report) {
  const names = outdatedGroups(folders);
  if (names.length === 0) return false;
  const labels = names.map((name) => GROUPS[name].label).join(" and the ");
  const done = report(`Generating the ${labels} …`);
  const generated = await Promise.all(names.map(generate));
  const record = readRecord();
  names.forEach((name, index) => {
    const gone = (record[name]?.files ?? []).filter(
      (path) => !generated[index].files.includes(path),
    );
    for (const path of gone) fs.rmSync(join(root, path), { force: true });
    record[name] = generated[index];
  });
  const draft = `${RECORD}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(record));
  fs.renameSync(draft, RECORD);
  done?.(`Generated the ${labels}`);
  return true;
}

module.exports = { PRISMA_CLIENT, generateChanged, outdatedGroups };

if (require.main === module) {
  const { startStep: report } = require("./steps.js");
  const named = process.argv.slice(2);
  const all = Object.values(GROUPS).map(({ folder }) => folder);
  generateChanged(named.length > 0 ? named : all, report).catch((error) => {
    report(error.message);
    process.exitCode = 1;
  });
}
