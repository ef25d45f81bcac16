// npm run dev: runs the service, and compiles and restarts it whenever a source, a document of schema/, the data model or
// a migration changes. While a source does not compile, the service goes on as it was.
const program = require("./prepare.js").prepare("src/main");
const { spawn } = require("node:child_process");
const { existsSync, readdirSync, watch } = require("node:fs");
const { join } = require("node:path");
const { compileChanged } = require("./compile.js");
const { generateChanged } = require("./generated.js");

const root = join(__dirname, "..");
/** Time without another change before the restart, in milliseconds: editors write several times. */
const SETTLE_MS = 100;
/** A restart is not to wait for open sockets to spread over several seconds. */
const QUICK_DRAIN = { DRAIN_SPREAD_SECONDS: "0", DRAIN_SECONDS: "1" };

const { startStep: report } = require("./steps.js");

let child = null;
let ending = false;
let timer;

function start() {
  const args = ["--enable-source-maps", "--", program, ...process.argv.slice(2)];
  child = spawn(process.execPath, args, {
    stdio: "inherit",
    env: { ...QUICK_DRAIN, ...process.env },
  });
  child.once("exit", (code) => {
    child = null;
    if (ending) process.exit(code === null ? 1 : code);
    if (code !== 0) report("The service has ended; it starts again after the next change.");
  });
}

async function stop() {
  if (child === null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** Restarts one after the other, since the next one may begin before the last one has ended. */
let restarts = Promise.resolve();
/** Whether a document or a migration has changed, which are not compiled. */
let documentChanged = false;
function changed(isDocument) {
  documentChanged = documentChanged || isDocument;
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarts = restarts.then(restart);
  }, SETTLE_MS);
}

async function restart() {
  if (ending) return;
  try {
    await generateChanged(["src"], report);
    const compiled = compileChanged(["src"], report);
    if (!compiled && !documentChanged) return;
    documentChanged = false;
  } catch (error) {
    report(error.message);
    return;
  }
  await stop();
  if (ending) return;
  report("Restarting …");
  start();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    ending = true;
    if (child === null) process.exit(0);
    // A terminal sends the signal to the service as well; a second one does no harm.
    child.kill("SIGTERM");
  });
}

const watchers = new Map();
/** Watches a folder and those in it. Node.js 20 misses files that an editor replaces if it watches recursively. */
function watchFolder(folder, onChange) {
  if (!watchers.has(folder)) {
    const watcher = watch(folder, () => {
      if (existsSync(folder)) watchFolder(folder, onChange);
      else {
        watchers.delete(folder);
        watcher.close();
      }
      onChange();
    });
    watchers.set(folder, watcher);
  }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) watchFolder(join(folder, entry.name), onChange);
  }
}
watchFolder(join(root, "src"), () => changed(false));
watchFolder(join(root, "schema"), () => changed(true));
watchFolder(join(root, "prisma"), () => changed(true));
start();
