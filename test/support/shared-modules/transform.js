/** In the registry of a test file, a shared module is what the worker has loaded. See environment.js. */
module.exports = {
  /** @param {string} _source @param {string} path */
  process: (_source, path) => ({
    code: `module.exports = sharedRequire(${JSON.stringify(path)});`,
  }),
  /** @param {string} _source @param {string} path */
  getCacheKey: (_source, path) => Buffer.from(`shared ${path}`).toString("base64url"),
};
