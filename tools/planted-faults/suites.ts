/** Test files that one command runs. */
export interface Suite {
  name: "npm test" | "npm run test:services";
  /** The configuration of Jest. */
  config: string;
  /** The projects of the configuration. */
  projects: readonly string[];
}

/** The suites, in the order in which they look for a fault. */
export const SUITES: readonly Suite[] = [
  {
    name: "npm test",
    config: "jest.config.js",
    projects: ["unit", "integration", "contract", "flow"],
  },
  {
    name: "npm run test:services",
    config: "jest.services.config.js",
    projects: ["contract", "flow", "system"],
  },
];
