import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What comes from others comes in the versions that were tried, from wherever a user's npm looks. */

interface Package {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  link?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(join(__dirname, "../..", name), "utf8"));
const manifest = read("package.json");
const lock: { lockfileVersion: number; packages: Record<string, Package> } =
  read("package-lock.json");
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + 13);

/**
 * Packages with a script that npm runs when it installs them, and why the service works where npm is
 * told not to (`--ignore-scripts`).
 */
const INSTALL_SCRIPTS: Record<string, string> = {
  "@apollo/protobufjs": "prints a warning about version schemes; for usage reports, which are off",
  "@firebase/util": "writes defaults of a web page's configuration; the server names its own",
  "@parcel/watcher": "builds what its binary packages already hold; for a watch mode nobody uses",
  "@prisma/engines": "downloads engines; queries and migrations run without any",
  "@swc/core": "looks for its binary package, which npm has installed; for tests",
  prisma: "checks the version of Node; its generator is run through a script",
  protobufjs: "prints a warning about version schemes",
  "unrs-resolver": "looks for its binary package, which npm has installed; for tests",
};

const PINNED = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

describe("package.json", () => {
  const declared = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

  test.each(declared)("names one version of %s: %s", (_name, version) => {
    expect(version).toMatch(PINNED);
  });

  test("names no package twice", () => {
    const both = Object.keys(manifest.dependencies).filter(
      (name) => manifest.devDependencies[name],
    );
    expect(both).toEqual([]);
  });

  test("runs nothing when it is installed", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  test.each(
    Object.entries(manifest.overrides as Record<string, string>),
  )("overrides %s with %s, and the lock file follows", (name, version) => {
    expect(version).toMatch(PINNED);
    const locked = packages.filter(([path]) => nameOf(path) === name);
    expect(locked.length).toBeGreaterThan(0);
    expect([...new Set(locked.map(([, { version: found }]) => found))]).toEqual([version]);
  });
});

describe("package-lock.json", () => {
  test("is of the form that npm 7 and later read", () => {
    expect(lock.lockfileVersion).toBe(3);
  });

  test("names no host", () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(JSON.stringify(lock)).not.toMatch(/"[^"]*(git\+|file:|https?:\/\/[^"]*\.tgz)/);
  });

  test("knows every package by its content", () => {
    const loose = packages.filter(
      ([, { integrity, link }]) => link || !integrity?.startsWith("sha512-"),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  test("agrees with package.json", () => {
    const root = lock.packages[""] as Record<string, unknown>;
    expect([root.dependencies, root.devDependencies]).toEqual([
      manifest.dependencies,
      manifest.devDependencies,
    ]);
    for (const [name, version] of Object.entries<string>(manifest.dependencies)) {
      expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([
        name,
        version.slice(version.lastIndexOf("@") + 1),
      ]);
    }
  });

  test("has install scripts where it is known that nothing depends on them", () => {
    const found = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path));
    expect([...new Set(found)].sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort());
  });
});
