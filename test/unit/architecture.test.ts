import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";

/**
 * The modules and layers that docs/ARCHITECTURE.md describes. When a test here fails, move the code instead
 * of changing the rule.
 */

const SRC = resolve(__dirname, "../../src");

/** Layer of each module. A file may import from lower layers and from its own module. */
const LAYERS: Record<string, number> = {
  core: 0,
  store: 1,
  bus: 1,
  jobs: 1,
  mail: 1,
  network: 1,
  limits: 1,
  "session-events": 2,
  passwords: 2,
  access: 2,
  accounts: 2,
  applications: 2,
  users: 2,
  "sign-in": 2,
  sessions: 2,
  "web-sessions": 2,
  "password-reset": 2,
  admin: 2,
  identity: 2,
  push: 2,
  calls: 2,
  conference: 2,
  graphql: 3,
  rest: 3,
  xmpp: 3,
  http: 3,
  pages: 3,
  dashboard: 3,
  cli: 3,
};

/** Modules of the same layer that a module may import from. */
const SIDEWAYS: Record<string, string[]> = {
  conference: ["calls", "identity"],
  jobs: ["store"],
  limits: ["bus"],
  rest: ["graphql"],
};

/** Packages that only one module may import. */
const RESTRICTED_PACKAGES: Array<[vendor: RegExp, module: string]> = [
  [/^pg-boss$/, "jobs"],
  [/^(ioredis|rate-limiter-flexible)$/, "bus"],
  [/^(ltx|saxes)$/, "xmpp"],
  [/^nodemailer(\/|$)/, "mail"],
  [/^(apn|firebase-admin|web-push)(\/|$)/, "push"],
  [/^ipaddr\.js$/, "network"],
];

/** Packages that can open connections, and their exports that cannot. */
const CONNECTING: Record<string, RegExp> = {
  http: /^(createServer|STATUS_CODES)$/,
  https: /^createServer$/,
  http2: /^constants$/,
  net: /^(createServer|isIP|BlockList)$/,
  // A TLSSocket wraps an existing connection.
  tls: /^(createSecureContext|rootCertificates|TLSSocket)$/,
  dgram: /^$/,
  dns: /^$/,
  "dns/promises": /^$/,
  ws: /^WebSocketServer$/,
  undici: /^$/,
  // These open connections themselves, except for the exports named here.
  apn: /^Notification$/,
  "web-push": /^(encrypt|getVapidHeaders)$/,
};

/**
 * Files outside of network/ that open connections, and to what: never to an address from a client or owner.
 */
const OPERATOR_CONNECTIONS: Record<string, string> = {
  "cli/doctor/chat-probe.ts": "the operator's own chat endpoint",
  "cli/doctor/chat-server.ts": "CHAT_SERVER",
  "cli/doctor/ntp.ts": "the time server that the operator configures",
  "cli/doctor/server.ts": "the operator's own server",
  "cli/client/server.ts": "the operator's own server",
  "xmpp/component/component-connection.ts": "CHAT_SERVER",
};

const FILES_MAX = 20;
const LINES_MAX = 300;
const PORT_METHODS_MAX = 4;

interface Source {
  /** Path below src, with slashes. */
  path: string;
  module: string;
  text: string;
  tree: ts.SourceFile;
  /** Specifiers that the file imports, exports from, or requires. */
  imports: string[];
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "generated" ? [] : sourceFiles(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(tree: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      found.push(node.moduleSpecifier.text);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) found.push(node.argument.literal.text);
    }
    if (ts.isCallExpression(node)) {
      const [specifier] = node.arguments;
      const name = node.expression.getText(tree);
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword || /^require(\.resolve)?$/.test(name);
      if (loads && specifier && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const SOURCES: Source[] = sourceFiles(SRC).map((file) => {
  const path = relative(SRC, file).split(sep).join("/");
  const text = readFileSync(file, "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  return {
    path,
    module: path.includes("/") ? path.split("/")[0]! : "",
    text,
    tree,
    imports: importsOf(tree),
  };
});
const PATHS = new Set(SOURCES.map(({ path }) => path));

/** The file below src that a relative import resolves to. */
function target(source: Source, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = relative(SRC, resolve(SRC, dirname(source.path), specifier))
    .split(sep)
    .join("/");
  if (path.startsWith("store/generated/")) return "store/generated";
  const file = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}.d.ts`].find((each) =>
    PATHS.has(each),
  );
  if (file === undefined)
    throw new Error(`${source.path} imports ${specifier}, which is not a file below src`);
  return file;
}

const moduleOf = (path: string) => (path.includes("/") ? path.split("/")[0]! : "");

/** Whether one module may import from another. The empty name stands for the root: app.ts, main.ts. */
function mayImport(from: string, to: string): boolean {
  if (from === "" || from === to) return true;
  if (to === "" || LAYERS[from] === undefined || LAYERS[to] === undefined) return false;
  return LAYERS[to] < LAYERS[from] || (SIDEWAYS[from] ?? []).includes(to);
}

/** Relative imports that the table forbids, as `file → file`. */
function forbiddenImports(sources: Source[]): string[] {
  return sources.flatMap((source) =>
    source.imports
      .map((specifier) => target(source, specifier))
      .filter((path): path is string => path !== undefined)
      .filter((path) => !mayImport(source.module, moduleOf(path)))
      .map((path) => `${source.path} → ${path}`),
  );
}

/** Import cycles, including type imports, as `a → b → a`. */
function cycles(): string[] {
  const next = new Map(
    SOURCES.map((source) => [
      source.path,
      source.imports
        .map((specifier) => target(source, specifier))
        .filter((path): path is string => path !== undefined && PATHS.has(path)),
    ]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: string[]): void => {
    const index = trail.indexOf(path);
    if (index >= 0) {
      found.push([...trail.slice(index), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const each of next.get(path) ?? []) walk(each, [...trail, path]);
    done.add(path);
  };
  for (const path of PATHS) walk(path, []);
  return found;
}

/** Uses of ambient time, randomness and console in a file, as source text. */
function ambientUses({ tree, imports }: Source): string[] {
  const uses: string[] = imports.filter((specifier) =>
    /^(node:)?(perf_hooks|console)$/.test(specifier),
  );
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) {
      const text = node.getText(tree);
      const banned =
        /^(Date\.now|Math\.random|performance\.now|console\.\w+|process\.(hrtime|stdout|stderr|uptime))$/;
      if (banned.test(text)) uses.push(text);
    }
    if (ts.isNewExpression(node) && node.expression.getText(tree) === "Date") {
      if (!node.arguments?.length) uses.push("new Date()");
    }
    if (ts.isImportSpecifier(node)) {
      const name = (node.propertyName ?? node.name).getText(tree);
      const module = node.parent.parent.parent.moduleSpecifier.getText(tree);
      if (/crypto/.test(module) && /^(random\w*|webcrypto)$/.test(name)) uses.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return uses;
}

/** Uses in a file that can open connections, as `specifier.name`. */
function connectingUses(tree: ts.SourceFile): string[] {
  const uses: string[] = [];
  const imported = (specifier: string, name: string) => {
    const harmless = CONNECTING[specifier.replace(/^node:/, "")];
    if (harmless && !harmless.test(name)) uses.push(`${specifier}.${name}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const { importClause: clause, moduleSpecifier } = node;
      if (clause?.isTypeOnly) return;
      const { text } = moduleSpecifier;
      if (clause?.name) imported(text, "default");
      const named = clause?.namedBindings;
      if (named && ts.isNamespaceImport(named)) imported(text, "*");
      if (named && ts.isNamedImports(named)) {
        for (const each of named.elements) {
          if (!each.isTypeOnly) imported(text, (each.propertyName ?? each.name).text);
        }
      }
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) {
      imported((node.moduleSpecifier as ts.StringLiteral).text, "export");
    }
    if (ts.isCallExpression(node)) {
      const [specifier] = node.arguments;
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        /^require$/.test(node.expression.getText(tree));
      if (loads && specifier && ts.isStringLiteralLike(specifier)) imported(specifier.text, "*");
    }
    if (ts.isIdentifier(node)) {
      const owner =
        ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
          ? node.parent.expression.getText(tree)
          : "globalThis";
      const named = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
      const isGlobal = /^(globalThis|global)$/.test(owner) && !named;
      if (isGlobal && /^(fetch|EventSource|XMLHttpRequest)$/.test(node.text)) uses.push(node.text);
      // jose's key set uses fetch unless it gets a custom one.
      if (node.text === "createRemoteJWKSet" && !/\bcustomFetch\b/.test(tree.text)) {
        uses.push(node.text);
      }
    }
    if (ts.isNewExpression(node) && node.expression.getText(tree) === "WebSocket") {
      uses.push("WebSocket");
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return uses;
}

/** Whether a file reads process.env, in any spelling. */
function readsEnvironment({ tree, imports }: Source): boolean {
  let reads = imports.some((specifier) => /^(node:)?process$/.test(specifier));
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      if (/^process\s*(\?\.|\.|\[\s*["'`])\s*env\b/.test(node.getText(tree))) reads = true;
    }
    if (
      ts.isVariableDeclaration(node) &&
      ts.isObjectBindingPattern(node.name) &&
      node.initializer?.getText(tree) === "process"
    ) {
      reads = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return reads;
}

test("the sources are found", () => {
  expect(PATHS).toContain("app.ts");
  expect(PATHS).toContain("core/config.ts");
  expect(new Set(SOURCES.map(({ module }) => module))).toContain("xmpp");
});

describe("layers and modules", () => {
  test("every module has a layer", () => {
    const modules = new Set(SOURCES.map(({ module }) => module).filter(Boolean));
    expect([...modules].filter((module) => LAYERS[module] === undefined)).toEqual([]);
  });

  test("only the composition root and the entry point are outside of the modules", () => {
    expect(SOURCES.filter(({ module }) => module === "").map(({ path }) => path)).toEqual([
      "app.ts",
      "main.ts",
    ]);
  });

  test("imports go to a lower layer, the same module, or a listed module of the same layer", () => {
    expect(forbiddenImports(SOURCES)).toEqual([]);
  });

  test.each([
    ["core", "store", false],
    ["core", "core", true],
    ["store", "bus", false],
    ["identity", "store", true],
    ["identity", "calls", false],
    ["calls", "identity", true],
    ["push", "network", true],
    ["network", "store", false],
    ["calls", "graphql", false],
    ["rest", "graphql", true],
    ["graphql", "rest", false],
    ["xmpp", "graphql", false],
    ["xmpp", "calls", true],
    ["http", "rest", false],
    ["identity", "", false],
    ["", "xmpp", true],
  ])("%s may import %s: %s", (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });

  test("only main.ts imports the composition root, and nothing imports main.ts", () => {
    const importers = SOURCES.flatMap((source) =>
      source.imports
        .map((specifier) => target(source, specifier))
        .filter((path) => path === "app.ts" || path === "main.ts")
        .map((path) => `${source.path} → ${path}`),
    );
    expect(importers).toEqual(["main.ts → app.ts"]);
  });

  test("there are no import cycles", () => {
    expect(cycles()).toEqual([]);
  });
});

describe("restricted packages and globals", () => {
  test.each(RESTRICTED_PACKAGES)("%s is imported only by %s", (vendor, module) => {
    const outside = SOURCES.filter(
      (source) =>
        source.module !== module && source.imports.some((specifier) => vendor.test(specifier)),
    );
    expect(outside.map(({ path }) => path)).toEqual([]);
  });

  test("only network/ connects to addresses from owners and clients", () => {
    const connecting = SOURCES.filter(({ module }) => module !== "network")
      .filter(({ tree }) => connectingUses(tree).length > 0)
      .map(({ path }) => path);
    expect(connecting.sort()).toEqual(Object.keys(OPERATOR_CONNECTIONS));
    const own = SOURCES.filter(({ module }) => module === "network").map(({ tree }) => tree);
    expect(own.flatMap(connectingUses)).toEqual(
      expect.arrayContaining(["node:https.request", "node:http2.connect", "node:tls.connect"]),
    );
  });

  test.each([
    ["await fetch(url)", true],
    ["const ask = globalThis.fetch;", true],
    ["parts.fetch(url)", false],
    ['import { get } from "node:https"', true],
    ['import { connect as dial } from "net"', true],
    ['import * as tls from "node:tls"', true],
    ['import http from "http"', true],
    ['const { connect } = require("node:http2")', true],
    ['await import("undici")', true],
    ['export { request } from "node:http"', true],
    ['import { type Socket, isIP } from "node:net"', false],
    ['import type { Agent } from "node:https"', false],
    ['import { createServer } from "node:http"', false],
    ['import { WebSocket } from "ws"', true],
    ['import { type WebSocket, WebSocketServer } from "ws"', false],
    ["new WebSocket(url)", true],
    ['import { Provider } from "apn"', true],
    ['import { sendNotification } from "web-push"', true],
    ['import { encrypt } from "web-push"', false],
    ["createRemoteJWKSet(url)", true],
    ["createRemoteJWKSet(url, { [customFetch]: read })", false],
  ])("%s can open connections: %s", (text, opens) => {
    const tree = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022, true);
    expect(connectingUses(tree).length > 0).toBe(opens);
  });

  test("only core/config.ts reads process.env", () => {
    expect(SOURCES.filter(readsEnvironment).map(({ path }) => path)).toEqual(["core/config.ts"]);
  });

  test("only core uses time, randomness and the console", () => {
    const uses = SOURCES.filter(({ module }) => module !== "core").flatMap((source) =>
      ambientUses(source).map((use) => `${source.path}: ${use}`),
    );
    expect(uses).toEqual([]);
    const core = SOURCES.filter(({ module }) => module === "core").flatMap(ambientUses);
    expect(core).toEqual(expect.arrayContaining(["Date.now", "randomBytes"]));
  });
});

describe("size", () => {
  test(`a folder holds at most ${FILES_MAX} files`, () => {
    const count = new Map<string, number>();
    for (const { path } of SOURCES) {
      const folder = dirname(path);
      count.set(folder, (count.get(folder) ?? 0) + 1);
    }
    expect([...count].filter(([, files]) => files > FILES_MAX)).toEqual([]);
  });

  test(`a file has at most ${LINES_MAX} lines`, () => {
    const long = SOURCES.map(
      ({ path, text }) => [path, text.trimEnd().split("\n").length] as const,
    );
    expect(long.filter(([, lines]) => lines > LINES_MAX)).toEqual([]);
  });

  test.each([
    ["bus/bus.ts", "Bus"],
    ["jobs/jobs.ts", "Jobs"],
    ["push/providers/port/provider.ts", "Provider"],
  ])(`the port of %s has at most ${PORT_METHODS_MAX} methods`, (path, name) => {
    const source = SOURCES.find((each) => each.path === path);
    const port = source?.tree.statements.find(
      (node): node is ts.InterfaceDeclaration =>
        ts.isInterfaceDeclaration(node) && node.name.text === name,
    );
    const methods = (port?.members ?? []).filter(ts.isMethodSignature);
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.length).toBeLessThanOrEqual(PORT_METHODS_MAX);
  });
});

describe("names", () => {
  test("are kebab-case, with an optional kind after a dot", () => {
    const shape = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.(ts|tsx)$/;
    expect([...PATHS].filter((path) => !shape.test(path))).toEqual([]);
  });

  test("are specific: no utils, helpers or managers", () => {
    const empty = /(^|[/-])(utils?|helpers?|commons?|managers?|bases?|impls?|misc)([-./]|$)/;
    expect([...PATHS].filter((path) => empty.test(path))).toEqual([]);
  });

  test("of interfaces and types have no I prefix", () => {
    const prefixed = SOURCES.flatMap(({ path, tree }) =>
      tree.statements
        .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
        .filter((node) => /^I[A-Z][a-z]/.test(node.name.text))
        .map((node) => `${path}: ${node.name.text}`),
    );
    expect(prefixed).toEqual([]);
  });

  test("are imported from where they are declared, without barrel files", () => {
    const barrels = SOURCES.filter(({ path, tree }) => {
      const passesOn = tree.statements.some(
        (node) => ts.isExportDeclaration(node) && node.moduleSpecifier && !node.exportClause,
      );
      const onlyPassesOn =
        tree.statements.length > 0 && tree.statements.every((node) => ts.isExportDeclaration(node));
      return passesOn || onlyPassesOn || /(^|\/)index\.tsx?$/.test(path);
    });
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });
});

test("exported functions and types have a doc comment", () => {
  const bare = SOURCES.flatMap(({ path, tree }) =>
    tree.statements
      .filter(
        (node) =>
          ts.isFunctionDeclaration(node) ||
          ts.isInterfaceDeclaration(node) ||
          ts.isTypeAliasDeclaration(node),
      )
      .filter((node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
      .filter((node) => ts.getJSDocCommentsAndTags(node).length === 0)
      .map((node) => `${path}: ${node.name?.text}`),
  );
  expect(bare).toEqual([]);
});
