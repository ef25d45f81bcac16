const { TestEnvironment } = require("jest-environment-jsdom");

/** What the pages and their packages use of browsers and jsdom does not have. Node.js has it. */
const PLATFORM = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
};

/** jsdom, with the dashboard as its address. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, PLATFORM);
  }
};
