import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Dependencies are pinned to tested versions, from whatever registry npm is configured to use. */

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
 * Packages with an install script, and why the service works without it (`npm install --ignore-scripts`).
 */
const INSTALL_SCRIPTS: Record<string, string> = {
  "@apollo/protobufjs": "prints a warning about version schemes; for usage reports, which are off",
  "@firebase/util": "writes defaults of a web page's configuration; the server names its own",
  "@parcel/watcher":
    "builds what its binary packages already contain; for a watch mode that is not used",
  "@prisma/engines": "downloads engines; queries and migrations run without any",
  "@swc/core": "looks for its binary package, which npm has installed; for tests",
  prisma: "checks the version of Node; its generator is run through a script",
  protobufjs: "prints a warning about version schemes",
  "unrs-resolver": "looks for its binary package, which npm has installed; for tests",
};

const PINNED = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

describe("package.json", () => {
  const declared = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

  test.each(declared)("pins %s to one version: %s", (_name, version) => {
    expect(version).toMatch(PINNED);
  });

  test("lists no package twice", () => {
    const both = Object.keys(manifest.dependencies).filter(
      (name) => manifest.devDependencies[name],
    );
    expect(both).toEqual([]);
  });

  test("has no install scripts", () => {
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
  test("has the format of npm 7 and later", () => {
    expect(lock.lockfileVersion).toBe(3);
  });

  test("contains no host names", () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(JSON.stringify(lock)).not.toMatch(/"[^"]*(git\+|file:|https?:\/\/[^"]*\.tgz)/);
  });

  test("has a hash for every package", () => {
    const unverified = packages.filter(
      ([, { integrity, link }]) => link || !integrity?.startsWith("sha512-"),
    );
    expect(unverified.map(([path]) => path)).toEqual([]);
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

  test("has only known install scripts, which the service does not need", () => {
    const found = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path));
    expect([...new Set(found)].sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort());
  });
});
