// Runs TypeScript without a build, for tests, npm run check and npm run generate: node -r tools/run-typescript.js FILE.
const { readFileSync } = require("node:fs");
const { transformSync } = require("@swc/core");
const [, options] = require("../jest.suites.js").TRANSFORM;

require.extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, "utf8"), { ...options, filename });
  module._compile(code, filename);
};
