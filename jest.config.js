const { buildFolders } = require("./bin/prepare.js");
const { RUN, components, suite } = require("./jest.suites.js");

// Suites use generated sources, and pages of tests load the compiled client package.
buildFolders(["src", "client/src"]);

/**
 * The flows that run on the embedded database: a file for each area, and those with a branch of their own for it. All
 * flows run on PostgreSQL with Redis, as in production (jest.services.config.js).
 */
const EMBEDDED_FLOWS = [
  "accounts/accounts",
  "calls/client-restart",
  "calls/signal-replay",
  "calls/signals",
  "cli/doctor",
  "cli/doctor-database",
  "conferences/conferences",
  "operations/health",
  "operations/start",
  "push/push-delivery",
  "push/push-subscriptions",
  "rest/transcripts",
  "security/replay",
  "security/secrets-at-rest",
  "sessions/revocation",
  "sessions/session",
  "sessions/session-create",
  "users/users",
  "users/users-legacy",
  "users/users-v2",
];
/** Any file that the command line names runs. */
const isFileNamed = process.argv.slice(2).some((word) => /(^|\/)test\//.test(word));

/**
 * The suites without services, on the embedded database.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  projects: [
    suite("unit"),
    suite("integration"),
    suite("contract", {
      // How PostgreSQL plans statements takes 100,000 rows, and the embedded one plans them likewise.
      testPathIgnorePatterns: ["/node_modules/", "/test/contract/([a-z]+-)*indexes\\.test\\.ts$"],
    }),
    suite(
      "flow",
      isFileNamed
        ? {}
        : { testMatch: EMBEDDED_FLOWS.map((name) => `<rootDir>/test/flow/${name}.test.ts`) },
    ),
    components,
  ],
};
