import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Dependencies are pinned to tested versions, from whatever registry npm is configured to use. */

interface Package {
  /** The package's own name, if it is installed under another one. */
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  /** For development, or an optional dependency or peer of what is not. */
  devOptional?: boolean;
  link?: boolean;
  /** The platforms of a package with a program. */
  os?: string[];
  cpu?: string[];
}

const read = (name: string) => JSON.parse(readFileSync(join(__dirname, "../..", name), "utf8"));
const manifest = read("package.json");
const lock: { lockfileVersion: number; packages: Record<string, Package> } =
  read("package-lock.json");
/** What runs in production. */
const production: Record<string, string> = {
  ...manifest.dependencies,
  ...manifest.peerDependencies,
};
/** The packages of this repository, which npm links. */
const workspaces: string[] = manifest.workspaces;
const { productionLock } = require("../../bin/shrinkwrap.js") as {
  productionLock(file: typeof lock, withPeers: boolean): typeof lock;
};
/** The packages of the registry. */
const packages = Object.entries(lock.packages).filter(
  ([path, { resolved }]) =>
    !["", ...workspaces].includes(path) && !workspaces.includes(`${resolved}`),
);
const folderOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + 13);
const nameOf = ([path, { name }]: [string, Package]) => name ?? folderOf(path);

/**
 * Packages with an install script, and why the service works without it. `allowScripts` makes npm skip them.
 */
const INSTALL_SCRIPTS: Record<string, string> = {
  "@apollo/protobufjs": "prints a warning about version schemes; for usage reports, which are off",
  "@parcel/watcher":
    "builds what its binary packages already contain; for a watch mode that is not used",
  "@prisma/engines": "downloads engines; queries and migrations run without any",
  "@swc/core": "looks for its binary package, which npm has installed; for tests",
  esbuild: "checks its binary package, which npm has installed; Vite uses it",
  prisma: "checks the version of Node; its generator is run through a script",
  "unrs-resolver": "looks for its binary package, which npm has installed; for tests",
};

/** The package that replaces packages which are declared by others, but never loaded here. */
const EMPTY = "npm:empty-npm-package@1.0.0";

/** Packages whose dependencies are replaced by an empty one, and why they work without them. */
const REDUCED: Record<string, string> = {
  "firebase-admin": "needs these for other products than the access tokens and Cloud Messaging",
  "fetch-blob": "needs it on Node before 18",
  graphiql: "its files for browsers contain these",
  "swagger-ui-dist": "needs it to count installations",
  "@prisma/dev": "needs these to run a database; the Prisma CLI loads only its list of databases",
  "@prisma/studio-core": "needs these in a browser; the Prisma CLI loads only its queries",
  prisma: "needs these for `prisma studio`",
};

/** Dependencies that no file imports, and what needs them. */
const NOT_IMPORTED: Record<string, string> = {
  graphiql: "bin/page-files.js copies its files for browsers",
  "swagger-ui-dist": "bin/page-files.js copies its files for browsers",
  react: "bin/page-files.js copies its files for browsers; graphiql's peer",
  "react-dom": "bin/page-files.js copies its files for browsers; graphiql's peer",
  "@biomejs/biome": "the scripts format and check",
  "@testing-library/dom": "the peer of its packages for React and for events",
  "@swc/jest": "jest.suites.js names it as the transformer of tests",
  jest: "the scripts test",
  "kubernetes-types": "test/support/deploy/kubernetes.ts checks objects by its types",
  prisma: "bin/generated.js runs its generator",
  "detect-libc": "node-datachannel loads it; named here, since it names no exact version",
  express: "docs/FRONTEND.md prints code that imports it, which tests run",
  "graphql-request": "docs/FRONTEND.md prints code that imports it, which tests run",
};

/** Packages of the dashboard that no file of it imports, and what needs them. */
const NOT_IMPORTED_BY_DASHBOARD: Record<string, string> = {
  typescript: "npm run check",
};

const ROOT = join(__dirname, "../..");
/** Folders that the npm package contains, and folders that only developers run. */
const PACKAGED = ["src", "demo"];
const DEVELOPMENT = ["test", "scripts", "bench", "fuzz", "tools"];

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.[jt]sx?$/.test(path))
    .map((path) => readFileSync(join(ROOT, folder, path), "utf8"));
}

/** The packages that a file imports at run time. Imports of types alone do not count. */
function importedPackages(text: string): string[] {
  const found: string[] = [];
  const add = (node: ts.Node | undefined) => {
    if (!node || !ts.isStringLiteralLike(node) || /^(\.|node:)/.test(node.text)) return;
    const [first = "", second] = node.text.split("/");
    found.push(first.startsWith("@") ? `${first}/${second}` : first);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { importClause: clause } = node;
      const named = clause?.namedBindings;
      const onlyTypes =
        clause?.isTypeOnly ||
        (!clause?.name &&
          named !== undefined &&
          ts.isNamedImports(named) &&
          named.elements.every(({ isTypeOnly }) => isTypeOnly));
      if (!onlyTypes) add(node.moduleSpecifier);
    }
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) add(node.moduleSpecifier);
    if (ts.isCallExpression(node)) {
      const imports = node.expression.kind === ts.SyntaxKind.ImportKeyword;
      if (imports || /^require(\.resolve)?$/.test(node.expression.getText(tree))) {
        add(node.arguments[0]);
      }
    }
    ts.forEachChild(node, visit);
  };
  const tree = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022);
  visit(tree);
  return found;
}

/** Those of the packages that no file of the folders imports. */
function notImported(names: string[], folders: string[]): string[] {
  const missing = new Set(names);
  for (const text of folders.flatMap(sources)) {
    // Parsing every file would take seconds.
    const names = [...missing].filter((name) => !(name in NOT_IMPORTED));
    if (!names.some((name) => text.includes(`"${name}"`) || text.includes(`"${name}/`))) continue;
    for (const name of importedPackages(text)) missing.delete(name);
  }
  return [...missing];
}

const PINNED = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

describe("package.json", () => {
  const declared = Object.entries({ ...production, ...manifest.devDependencies });

  test.each(declared)("pins %s to one version: %s", (_name, version) => {
    expect(version).toMatch(PINNED);
  });

  const ofWorkspaces = workspaces.flatMap((folder) => {
    const { dependencies, devDependencies } = read(join(folder, "package.json"));
    const all = Object.entries<string>({ ...dependencies, ...devDependencies });
    return all.map(([name, version]) => [folder, name, version] as const);
  });

  test.each(ofWorkspaces)("of %s pins %s to one version: %s", (_folder, _name, version) => {
    expect(version).toMatch(PINNED);
  });

  test("of the dashboard lists only packages to build it, which production does not install", () => {
    expect(read("dashboard/package.json").dependencies).toBeUndefined();
  });

  test("of the dashboard lists only packages that are imported, or needed for a reason given here", () => {
    const names = Object.keys(read("dashboard/package.json").devDependencies);
    const texts = sources("dashboard/src").concat(sources("dashboard/build"), [
      readFileSync(join(ROOT, "dashboard/vite.config.ts"), "utf8"),
    ]);
    const used = new Set(texts.flatMap(importedPackages));
    const unused = names.filter((name) => !name.startsWith("@types/") && !used.has(name));
    expect(unused.sort()).toEqual(Object.keys(NOT_IMPORTED_BY_DASHBOARD).sort());
  });

  test("lists no package twice", () => {
    const { dependencies, peerDependencies, devDependencies } = manifest;
    const names = [dependencies, peerDependencies, devDependencies].flatMap(Object.keys);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("lists only packages that are imported, or needed for a reason given here", () => {
    // Types belong to their package; those of Node and jest to the tests.
    const development = Object.keys(manifest.devDependencies)
      .filter((name) => !/^@types\/(node|jest)$/.test(name))
      .map((name) => name.replace(/^@types\//, ""));
    const unused = [
      ...notImported(Object.keys(production), PACKAGED),
      ...notImported(development, [...PACKAGED, ...DEVELOPMENT]),
    ];
    expect(unused.sort()).toEqual(Object.keys(NOT_IMPORTED).sort());
  });

  test.each([
    ['import { a } from "some-package/part"', ["some-package"]],
    ['const { a } = await import("@scope/name")', ["@scope/name"]],
    ['const file = require.resolve("@scope/name/package.json")', ["@scope/name"]],
    ['export { a } from "some-package"', ["some-package"]],
    ['import { type A } from "some-package"', []],
    ['import type { A } from "some-package"', []],
    ['import { a } from "./file"; import { b } from "node:fs"', []],
  ])("%s imports %j", (text, expected) => {
    expect(importedPackages(text)).toEqual(expected);
  });

  test("has no install scripts", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  const overrides = Object.entries(manifest.overrides as Record<string, string | object>);
  const pins = overrides.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const reduced = overrides.filter(([, value]) => typeof value === "object");

  test.each(pins)("overrides %s with %s, and the lock file follows", (name, version) => {
    expect(version).toMatch(PINNED);
    const locked = packages.filter((entry) => nameOf(entry) === name);
    expect(locked.length).toBeGreaterThan(0);
    expect([...new Set(locked.map(([, { version: found }]) => found))]).toEqual([version]);
  });

  test("replaces dependencies by an empty package only for a reason given here", () => {
    expect(reduced.map(([name]) => name).sort()).toEqual(Object.keys(REDUCED).sort());
    const replaced = reduced.flatMap(([, value]) => Object.entries(value));
    expect(new Set(replaced.map(([, version]) => version))).toEqual(new Set([EMPTY]));
    const empty = packages.filter((entry) => nameOf(entry) === "empty-npm-package");
    expect(new Set(empty.map(([path]) => folderOf(path)))).toEqual(
      new Set(replaced.map(([name]) => name)),
    );
  });

  test("lets npm run no install scripts of packages", () => {
    const denied = Object.keys(INSTALL_SCRIPTS).map((name) => [name, false]);
    expect(manifest.allowScripts).toEqual(Object.fromEntries(denied));
  });
});

describe("the npm package signalbox", () => {
  // npm always packs package.json.
  const files: string[] = ["package.json", ...manifest.files];
  const isPacked = (path: string) =>
    files.some((name) => path === name || path.startsWith(`${name}/`));

  test("contains each file that the service or a demo reads", () => {
    const matches = PACKAGED.flatMap(sources).flatMap((text) => {
      return [...text.matchAll(/packageRoot\(\), "([^"]+)"|\bfolder: "([^"]+)"/g)];
    });
    const paths = new Set(matches.map(([, inRoot, page]) => inRoot ?? page ?? ""));
    expect([...paths]).toEqual(
      expect.arrayContaining(["demo/call/page", "demo/conference/page", "dist/client/src"]),
    );
    expect([...paths, "prisma/migrations"].filter((path) => !isPacked(path))).toEqual([]);
  });

  test("has each file that it is to have, and nothing that only development needs", () => {
    const options = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const packed = execFileSync("npm", options, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 26,
    });
    const [{ files: found }] = Object.values(
      JSON.parse(packed) as Record<string, { files: { path: string; size: number }[] }>,
    ) as [{ files: { path: string; size: number }[] }];
    // Whether dist/ is built does not matter here: test/ship compares it with the sources.
    const rest = found.filter(({ path }) => !path.startsWith("dist/"));
    const paths = rest.map(({ path }) => path);
    const present = (folder: string) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .map((path) => `${folder}/${path}`)
        .filter((path) => statSync(join(ROOT, path)).isFile());
    const documents = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
    const needed = [
      ...["LICENSE", "README.md"],
      ...files.filter((name) => /^[\w./-]+\.\w+$/.test(name)),
      ...documents.map((name) => `docs/${name}`),
      ...["prisma/migrations", "schema/xmpp", "deploy/systemd"].flatMap(present),
    ].filter((name) => existsSync(join(ROOT, name)));
    expect(paths).toEqual(expect.arrayContaining(needed));
    const inFolders = /^(demo|deploy|docs|prisma\/migrations|schema)\//;
    expect(paths.filter((path) => !needed.includes(path) && !inFolders.test(path))).toEqual([]);
    const unwanted = /\.(test\.\w+|map|env|pem|key|tgz)$|(^|\/)(secrets|node_modules|\.data)\//;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
    expect(rest.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_500_000);
  });

  test("and the client package are public, with their provenance", () => {
    for (const { private: isPrivate, license, publishConfig } of [
      manifest,
      read("client/package.json"),
    ]) {
      const expected = { access: "public", provenance: true };
      expect([isPrivate, license, publishConfig]).toEqual([undefined, "MIT", expected]);
    }
  });

  test("locks what runs in production, as package-lock.json does, and nothing else", () => {
    const locked = productionLock(lock, true).packages;
    const { dependencies, devDependencies, peerDependencies } = locked[""] as Record<
      string,
      unknown
    >;
    expect({ ...(dependencies as object), ...(peerDependencies as object) }).toEqual(production);
    expect(devDependencies).toBeUndefined();
    const installed = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional);
    const ofExample = ["js-tokens", "loose-envify", "react", "react-dom", "scheduler"];
    expect(Object.entries(locked).slice(1)).toEqual(
      installed.filter((entry) => !ofExample.includes(nameOf(entry))),
    );
    for (const name of ["prisma", "typescript", "vite", "jest"]) {
      expect(packages.map(nameOf)).toContain(name);
      expect(Object.entries(locked).map(nameOf)).not.toContain(name);
    }
  });

  test("locks every package for one platform, except in what npm installs as a dependency", () => {
    const forPlatform = (withPeers: boolean) =>
      Object.entries(productionLock(lock, withPeers).packages).filter(
        ([, { os, cpu }]) => os ?? cpu,
      );
    const names = forPlatform(true).map(([path]) => folderOf(path));
    expect(names).toEqual(
      expect.arrayContaining(["@node-datachannel/darwin-arm64", "@node-rs/argon2-linux-x64-gnu"]),
    );
    expect(forPlatform(false)).toEqual([]);
    const beside = Object.keys(productionLock(lock, true).packages).filter(
      (path) => !(path in productionLock(lock, false).packages),
    );
    const others = beside.map(folderOf).filter((name) => !names.includes(name));
    // npm installs the versions that package.json names. The first and the last name exact versions for each platform.
    expect(others).toEqual(Object.keys(manifest.peerDependencies));
  });

  test("locks an optional package that development needs as an optional one", () => {
    const example: Record<string, Package & Record<string, unknown>> = {
      "": { dependencies: { a: "1.0.0" }, devDependencies: { b: "1.0.0" } },
      "node_modules/a": {
        ...{ version: "1.0.0", optionalDependencies: { b: "1" }, peerDependencies: { c: "1" } },
        peerDependenciesMeta: { c: { optional: true } },
      },
      "node_modules/a/node_modules/d": { version: "2.0.0" },
      "node_modules/b": { version: "1.0.0", devOptional: true, dependencies: { d: "1" } },
      "node_modules/c": { version: "1.0.0", devOptional: true },
      "node_modules/d": { version: "1.0.0", devOptional: true },
    };
    const { "": _root, ...locked } = productionLock(
      { lockfileVersion: 3, packages: example },
      true,
    ).packages;
    expect(locked).toEqual({
      "node_modules/a": example["node_modules/a"],
      "node_modules/b": { version: "1.0.0", optional: true, dependencies: { d: "1" } },
      "node_modules/d": { version: "1.0.0", optional: true },
    });
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
    for (const group of ["dependencies", "peerDependencies", "devDependencies"]) {
      expect([group, root[group]]).toEqual([group, manifest[group]]);
    }
    for (const [name, version] of Object.entries(production)) {
      expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([
        name,
        version.slice(version.lastIndexOf("@") + 1),
      ]);
    }
  });

  test("has only known install scripts, which the service does not need", () => {
    const found = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(nameOf);
    expect([...new Set(found)].sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort());
  });
});
