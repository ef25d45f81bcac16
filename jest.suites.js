/** What jest.config.js and jest.services.config.js have in common. */

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

/** How every run goes. */
exports.RUN = {
  maxWorkers: 2,
  // Test files leave memory behind. A worker that grows beyond this is replaced, before its garbage collection slows it
  // down: without it, the last files took more than twice their time.
  workerIdleMemoryLimit: "1200MB",
  // A guard against hanging alone: ten times and more of what the longest test takes on a quiet machine.
  testTimeout: 300_000,
};

/**
 * The suite in a folder of test/.
 * @param {string} folder
 * @param {import("jest").Config} [more] what this suite needs beside
 * @returns {import("jest").Config}
 */
exports.suite = (folder, more) => ({
  displayName: folder,
  testEnvironment: "node",
  setupFiles: ["<rootDir>/test/support/jest-setup.js"],
  testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
  transform: { "^.+\\.[tj]s$": TRANSFORM },
  // Packages that come as ES modules alone.
  transformIgnorePatterns: [
    "/node_modules/(?!(@seriousme|@redocly|@xmpp|auto-bind|strophe\\.js|jose|@prisma/schema-engine-wasm)/)",
  ],
  // What the documents print imports the package by its name.
  moduleNameMapper: {
    "^@signalbox/client$": "<rootDir>/client/src/index.ts",
    "^@signalbox/client/server$": "<rootDir>/client/src/server/index.ts",
  },
  ...more,
});
