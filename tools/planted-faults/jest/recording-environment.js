const { ChildProcess } = require("node:child_process");
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { join, relative } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");

/**
 * The environment of a recording: that of the suite, which also writes the functions of `src` that each test file
 * executes, as ../records.ts reads them.
 */

const { tree, folder } = JSON.parse(process.env.PLANTED_FAULTS_RECORDING);
const SOURCES = pathToFileURL(join(tree, "src/")).href;

const hash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The programs that the test file has started. */
const programs = new Set();
/** The profiler of this worker, which may load the modules of `src` once for all of its test files. */
let profiler;

/** The answer of the profiler, which comes before `post` returns. */
function ask(method, parameters) {
  let answer;
  profiler.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

function startProfiler() {
  profiler = new Session();
  profiler.connect();
  ask("Profiler.enable");
  ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
}

/** Notes the programs of this repository that are started from now on. */
function watchPrograms() {
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    for (const argument of options.args ?? []) {
      const [, program] = /\b((?:src|demo|bin)\/[\w/-]+)(?:\.[jt]s)?$/.exec(argument) ?? [];
      if (program !== undefined) programs.add(program);
    }
    return spawn.call(this, options);
  };
}

/** Takes what was executed since the last call: by source its hash, and ranges of its compiled code. */
function takeCoverage() {
  const sources = {};
  for (const { url, functions } of ask("Profiler.takePreciseCoverage").result) {
    if (!url.startsWith(SOURCES)) continue;
    const executed = functions.map(({ ranges: [range] }) => range).filter(({ count }) => count > 0);
    if (executed.length === 0) continue;
    const path = fileURLToPath(url);
    const source = relative(tree, path);
    sources[source] ??= { hash: hash(readFileSync(path)), ranges: [] };
    for (const { startOffset, endOffset } of executed) {
      sources[source].ranges.push([startOffset, endOffset]);
    }
  }
  return sources;
}

/** An environment that also records. */
function recording(Environment) {
  return class extends Environment {
    constructor(parameters, context) {
      super(parameters, context);
      this.test = relative(tree, context.testPath);
      const { sharedRequire } = this.global;
      this.sharesModules = sharedRequire !== undefined;
      if (!profiler) {
        startProfiler();
        watchPrograms();
        // What modules execute when they are loaded belongs to no test file.
        sharedRequire?.(join(tree, "src/app.ts"));
      }
      takeCoverage();
      programs.clear();
      this.began = performance.now();
    }

    async teardown() {
      const { test, sharesModules } = this;
      const milliseconds = Math.round(performance.now() - this.began);
      const executed = { programs: [...programs], sources: takeCoverage() };
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `${hash(test)}.json`);
      writeFileSync(path, JSON.stringify({ test, milliseconds, sharesModules, ...executed }));
      await super.teardown();
    }
  };
}

/** The recording form of each environment. */
const environments = new Map();

/** Stands for the recording form of the environment that the suite uses otherwise. */
module.exports = class {
  constructor(parameters, context) {
    const { base } = parameters.projectConfig.testEnvironmentOptions;
    if (!environments.has(base)) {
      const loaded = require(base);
      environments.set(base, recording(loaded.TestEnvironment ?? loaded));
    }
    const Environment = environments.get(base);
    // biome-ignore lint/correctness/noConstructorReturn: Jest constructs one class, whatever the suite.
    return new Environment(parameters, context);
  }
};
