/** What jest.config.js and jest.services.config.js have in common. */

const { randomInt } = require("node:crypto");
const { readdirSync, readFileSync } = require("node:fs");
const { availableParallelism, totalmem } = require("node:os");
const { join } = require("node:path");
const { dependencies, peerDependencies } = require("./package.json");

/** How TypeScript is compiled: each file on its own, in memory. */
const TRANSFORM = [
  "@swc/jest",
  {
    jsc: {
      parser: { syntax: "typescript", decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: "es2022",
    },
    module: { type: "commonjs" },
  },
];

exports.TRANSFORM = TRANSFORM;

/** Packages that come as ES modules alone. */
const ES_MODULES = [
  "@seriousme",
  "@redocly",
  "@xmpp",
  "auto-bind",
  "strophe\\.js",
  "jose",
  "@prisma/schema-engine-wasm",
];
/** Clients of the service: what the demos run, and firebase-admin, of which a test that uses it has its own copy. */
const CLIENT_PACKAGES = ["@xmpp/client", "firebase-admin", "strophe.js"];
/** Packages that `src` uses. */
const SHARED_PACKAGES = [
  ...Object.keys({ ...dependencies, ...peerDependencies }),
  "@prisma",
].filter((name) => !CLIENT_PACKAGES.includes(name));

// The order of the files and the samples of matrices follow from one seed, which workers inherit and the reporter prints.
process.env.TEST_SEED ??= String(randomInt(2 ** 31));

/** How every run goes. */
exports.RUN = {
  // A worker waits for half of its time. It and the processes that its files start need up to two gigabytes.
  maxWorkers: Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / 2 ** 31))),
  // A worker that grows beyond this is replaced, before its garbage collection slows it down: when nodes left their
  // metrics behind, the last files took more than twice their time. With TEST_ALONE=1 each file gets a new worker.
  workerIdleMemoryLimit: process.env.TEST_ALONE === "1" ? 0 : "1200MB",
  testSequencer: "<rootDir>/test/support/random-order.js",
  reporters: ["default", "<rootDir>/test/support/reporter.js"],
  // A guard against hanging alone: ten times and more of what the longest test takes on a quiet machine.
  testTimeout: 300_000,
};

/**
 * How the modules of a suite are loaded: each test file has its own, or all files of a worker share those of `src` and
 * its packages. Loading them takes seconds; fake timers, `jest.mock` and changes of constants need their own.
 * @param {boolean} shared
 * @returns {import("jest").Config}
 */
function moduleLoading(shared) {
  const transform = { "^.+\\.[tj]s$": TRANSFORM };
  if (!shared) {
    return {
      testEnvironment: "node",
      transform,
      transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join("|")})/)`],
    };
  }
  const own = ES_MODULES.filter((name) => !SHARED_PACKAGES.includes(name));
  const packages = SHARED_PACKAGES.map((name) => name.replace(".", "\\."));
  const place = "<rootDir>/test/support/shared-modules";
  return {
    testEnvironment: `${place}/environment.js`,
    setupFilesAfterEnv: [`${place}/restore-spies.js`],
    transform: {
      [`^${join(__dirname, "src")}/.*\\.ts$`]: `${place}/transform.js`,
      [`/node_modules/(${packages.join("|")})/`]: `${place}/transform.js`,
      ...transform,
    },
    transformIgnorePatterns: [`/node_modules/(?!(${[...own, ...packages].join("|")})/)`],
  };
}

/** Mocks and fake timers of a test file do not reach shared modules. A file with another reason has the mark, and says it. */
const NEEDS_OWN_MODULES = /jest\.(mock|useFakeTimers|isolateModules)\(|@own-modules/;

/**
 * The unit tests: most share modules as the other suites do.
 * @returns {import("jest").Config[]}
 */
exports.unit = () => {
  const folder = join(__dirname, "test/unit");
  const own = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => NEEDS_OWN_MODULES.test(readFileSync(join(folder, name), "utf8")));
  return [
    suite("unit", {
      testPathIgnorePatterns: ["/node_modules/", ...own.map((name) => `/test/unit/${name}$`)],
    }),
    suite("unit", {
      ...moduleLoading(false),
      testMatch: own.map((name) => `<rootDir>/test/unit/${name}`),
    }),
  ];
};

/**
 * The suite in a folder of test/, with shared modules.
 * @param {string} folder
 * @param {import("jest").Config} [more] what this suite needs beside
 * @returns {import("jest").Config}
 */
const suite = (folder, more) => ({
  displayName: folder,
  ...moduleLoading(true),
  setupFiles: ["<rootDir>/test/support/jest-setup.js"],
  testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
  // What the documents print imports the package by its name.
  moduleNameMapper: {
    "^@signalbox/client$": "<rootDir>/client/src/index.ts",
    "^@signalbox/client/admin$": "<rootDir>/client/src/admin/index.ts",
    "^@signalbox/client/server$": "<rootDir>/client/src/server/index.ts",
  },
  ...more,
});
exports.suite = suite;

/** The pages of the dashboard, each component as Vite compiles it, in jsdom. */
exports.components = {
  displayName: "components",
  testEnvironment: "<rootDir>/test/support/dashboard/components/environment.js",
  testMatch: ["<rootDir>/test/components/**/*.test.ts?(x)"],
  transform: {
    "^.+\\.[tj]sx?$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript", tsx: true },
          transform: {
            react: { runtime: "automatic" },
            optimizer: { globals: { vars: { "import.meta.env.BASE_URL": '"/"' } } },
          },
          target: "es2022",
        },
        module: { type: "commonjs" },
      },
    ],
  },
  moduleNameMapper: {
    "\\.(css|svg)$": "<rootDir>/test/support/dashboard/components/style.js",
    "^@signalbox/client$": "<rootDir>/client/src/index.ts",
    "^@signalbox/client/admin$": "<rootDir>/client/src/admin/index.ts",
  },
};
