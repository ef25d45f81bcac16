const { readdirSync } = require("node:fs");
const { join } = require("node:path");
const { buildFolders } = require("./bin/prepare.js");
const { RUN, components, suite, unit } = require("./jest.suites.js");

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
  "cli/reset-password",
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
/**
 * Files that take long and that only `npm run test:all` runs, unless the command line names them. `npm test` proves what
 * the product does for its users; these files prove what surrounds it, and what attackers and broken networks cannot do.
 */
const LONG_FILES = [
  // What the documents print, and what other projects do with the interface.
  "integration/calls/demo",
  "integration/calls/demo-call",
  "integration/clients/client-examples",
  "integration/clients/clients",
  "integration/clients/frontend-guide",
  "integration/clients/generated-types",
  "integration/clients/normalized-cache",
  "integration/clients/package",
  "integration/clients/tanstack-query",
  // Programs beside the service. Of the doctor, `npm test` has flow/cli/doctor.
  "flow/cli/doctor-database",
  "integration/cli/backup",
  "integration/cli/doctor-machine",
  "integration/cli/launcher",
  "integration/cli/stand-ins",
  // Conferences under attack, with lost packets, and with the client package.
  "contract/conference-loss",
  "integration/client/conferences",
  "integration/conferences/embedded-engine",
  "integration/conferences/janus-attacks",
  "integration/conferences/media-floods",
  "integration/conferences/media-liveness",
  // Each place that could show a secret.
  "flow/security/secrets-at-rest",
  "integration/security/audit-secrets",
  "integration/security/secret-fields",
  "integration/security/support-secrets",
  // Attempts to guess passwords. `npm test` has the limits of every operation (security/counting).
  "integration/security/password-limits",
  // Memory that clients can occupy.
  "integration/graphql/engine-memory",
  "integration/graphql/open-subscriptions",
  "integration/operations/memory",
  "integration/operations/sizes",
  // How the database plans statements on 100,000 rows.
  "contract/jobs-monitor",
  // Migrations of older data, and processes that end while they start.
  "contract/interrupted-migrations",
  "contract/interrupted-procedures",
  "integration/chat/start-chat",
  "integration/operations/migration-files",
  "integration/operations/start-problems",
  "integration/operations/store-folder",
];

const words = process.argv
  .slice(2)
  .filter((word) => word !== "" && !word.startsWith("-"))
  .map((word) => word.replace(/\.test\.ts$/, ""));
/** Any file that the command line names runs. */
const isFileNamed = words.some((word) => /(^|\/)test\//.test(word));
const isNamed = (name) => words.some((word) => `test/${name}`.includes(word));
const isRuleNamed = (file) => isNamed(`rules/${file.replace(/\.test\.ts$/, "")}`);

const plans = words.filter((word) => /(^|[/-])indexes$/.test(word));
if (plans.length > 0) {
  const files = plans.map((word) => `${word}.test.ts`).join(" ");
  throw new Error(`${files} needs PostgreSQL: npm run test:services -- ${files}`);
}

const leftOut = process.env.EXHAUSTIVE === "1" ? [] : LONG_FILES.filter((name) => !isNamed(name));
const ignored = ["/node_modules/", ...leftOut.map((name) => `/test/${name}\\.test\\.ts$`)];

/**
 * The suites without services, on the embedded database.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  projects: [
    ...unit(),
    suite("integration", { testPathIgnorePatterns: ignored }),
    suite("contract", {
      // How PostgreSQL plans statements takes 100,000 rows, and the embedded one plans them likewise.
      testPathIgnorePatterns: [...ignored, "/test/contract/([a-z]+-)*indexes\\.test\\.ts$"],
    }),
    suite(
      "flow",
      isFileNamed
        ? {}
        : {
            testMatch: EMBEDDED_FLOWS.map((name) => `<rootDir>/test/flow/${name}.test.ts`),
            testPathIgnorePatterns: ignored,
          },
    ),
    components,
    // `npm run check` names them.
    ...(readdirSync(join(__dirname, "test/rules")).some(isRuleNamed) ? [suite("rules")] : []),
  ],
};
