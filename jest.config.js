/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  globalSetup: "<rootDir>/test/support/setup.ts",
  transform: {
    "^.+\\.[tj]s$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript", decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: "es2022",
        },
        module: { type: "commonjs" },
      },
    ],
  },
  // Packages that come as ES modules alone.
  transformIgnorePatterns: [
    "/node_modules/(?!(@seriousme|@xmpp|strophe\\.js|jose|@prisma/schema-engine-wasm)/)",
  ],
  maxWorkers: 2,
  // A guard against hanging alone: ten times and more of what the longest test takes on a quiet machine.
  testTimeout: 300_000,
};
