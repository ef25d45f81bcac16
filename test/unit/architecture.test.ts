import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";

/**
 * The rooms and floors that docs/ARCHITECTURE.md describes. When a case here says no, move the code,
 * not the rule.
 */

const SRC = resolve(__dirname, "../../src");

/** Floor of each room; a file imports from lower floors and from its own room. */
const FLOORS: Record<string, number> = {
  core: 0,
  store: 1,
  bus: 1,
  jobs: 1,
  mail: 1,
  network: 1,
  limits: 1,
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

/** Who may import sideways, from a room of the same floor. */
const SIDEWAYS: Record<string, string[]> = {
  conference: ["calls", "identity"],
  calls: ["push", "identity"],
  push: ["identity"],
  jobs: ["store"],
  rest: ["graphql"],
};

/** Packages that stay behind one room. */
const FENCES: Array<[vendor: RegExp, room: string]> = [
  [/^pg-boss$/, "jobs"],
  [/^(ioredis|rate-limiter-flexible)$/, "bus"],
  [/^(ltx|saxes)$/, "xmpp"],
  [/^nodemailer(\/|$)/, "mail"],
  [/^(apn|firebase-admin|web-push)(\/|$)/, "push"],
  [/^ipaddr\.js$/, "network"],
];

/** Modules that can open connections, and what of them opens none. */
const CONNECTING: Record<string, RegExp> = {
  http: /^(createServer|STATUS_CODES)$/,
  https: /^createServer$/,
  http2: /^constants$/,
  net: /^(createServer|isIP|BlockList)$/,
  // A TLSSocket is put around a connection that is there already.
  tls: /^(createSecureContext|rootCertificates|TLSSocket)$/,
  dgram: /^$/,
  dns: /^$/,
  "dns/promises": /^$/,
  ws: /^WebSocketServer$/,
  undici: /^$/,
  // These connect by themselves, unless what they are asked for is said here.
  apn: /^Notification$/,
  "web-push": /^(encrypt|getVapidHeaders)$/,
};

/** Files outside of network/ that open connections, and to what. No client or owner names any of it. */
const OPERATOR_CONNECTIONS: Record<string, string> = {
  "cli/doctor/chat-probe.ts": "the operator's own chat endpoint",
  "cli/doctor/chat-server.ts": "CHAT_SERVER",
  "cli/doctor/ntp.ts": "the time server that the operator names",
  "cli/doctor/server.ts": "the operator's own server",
  "cli/server.ts": "the operator's own server",
  "xmpp/component/link.ts": "CHAT_SERVER",
};

const FILES_MAX = 20;
const LINES_MAX = 300;
const PORT_METHODS_MAX = 4;

interface Source {
  /** Path below src, with slashes. */
  path: string;
  room: string;
  text: string;
  tree: ts.SourceFile;
  /** Modules that the file imports, exports from, or requires. */
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
      const [module] = node.arguments;
      const name = node.expression.getText(tree);
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword || /^require(\.resolve)?$/.test(name);
      if (loads && module && ts.isStringLiteralLike(module)) found.push(module.text);
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
    room: path.includes("/") ? path.split("/")[0]! : "",
    text,
    tree,
    imports: importsOf(tree),
  };
});
const PATHS = new Set(SOURCES.map(({ path }) => path));

/** The file below src that a relative import means. */
function target(source: Source, module: string): string | undefined {
  if (!module.startsWith(".")) return undefined;
  const path = relative(SRC, resolve(SRC, dirname(source.path), module))
    .split(sep)
    .join("/");
  if (path.startsWith("store/generated/")) return "store/generated";
  const file = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}.d.ts`].find((each) =>
    PATHS.has(each),
  );
  if (file === undefined)
    throw new Error(`${source.path} imports ${module}, which is not below src`);
  return file;
}

const roomOf = (path: string) => (path.includes("/") ? path.split("/")[0]! : "");

/** Whether a file of one room may import from another. The empty name is the root: app.ts, main.ts. */
function mayImport(from: string, to: string): boolean {
  if (from === "" || from === to) return true;
  if (to === "" || FLOORS[from] === undefined || FLOORS[to] === undefined) return false;
  return FLOORS[to] < FLOORS[from] || (SIDEWAYS[from] ?? []).includes(to);
}

/** Every import of a relative module that the table does not allow, as `file → file`. */
function forbiddenImports(sources: Source[]): string[] {
  return sources.flatMap((source) =>
    source.imports
      .map((module) => target(source, module))
      .filter((path): path is string => path !== undefined)
      .filter((path) => !mayImport(source.room, roomOf(path)))
      .map((path) => `${source.path} → ${path}`),
  );
}

/** Rings of files that import one another, types included, each as `a → b → a`. */
function cycles(): string[] {
  const next = new Map(
    SOURCES.map((source) => [
      source.path,
      source.imports
        .map((module) => target(source, module))
        .filter((path): path is string => path !== undefined && PATHS.has(path)),
    ]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, way: string[]): void => {
    const place = way.indexOf(path);
    if (place >= 0) {
      found.push([...way.slice(place), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const each of next.get(path) ?? []) walk(each, [...way, path]);
    done.add(path);
  };
  for (const path of PATHS) walk(path, []);
  return found;
}

/** Uses of time, randomness and console in a file, as source text. */
function ambientUses({ tree, imports }: Source): string[] {
  const uses: string[] = imports.filter((module) => /^(node:)?(perf_hooks|console)$/.test(module));
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
      if (/^(random\w*|webcrypto|performance)$/.test(name)) uses.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return uses;
}

/** What opens connections in a file, as `module.name`. */
function connectingUses(tree: ts.SourceFile): string[] {
  const uses: string[] = [];
  const imported = (module: string, name: string) => {
    const opensNone = CONNECTING[module.replace(/^node:/, "")];
    if (opensNone && !opensNone.test(name)) uses.push(`${module}.${name}`);
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
      const [module] = node.arguments;
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        /^require$/.test(node.expression.getText(tree));
      if (loads && module && ts.isStringLiteralLike(module)) imported(module.text, "*");
    }
    if (ts.isIdentifier(node)) {
      const owner =
        ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
          ? node.parent.expression.getText(tree)
          : "globalThis";
      const named = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
      const isGlobal = /^(globalThis|global)$/.test(owner) && !named;
      if (isGlobal && /^(fetch|EventSource|XMLHttpRequest)$/.test(node.text)) uses.push(node.text);
      // jose's key set asks by fetch unless it is given another way.
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

/** Whether a file reads process.env, under whatever spelling. */
function readsEnvironment({ tree, imports }: Source): boolean {
  let reads = imports.some((module) => /^(node:)?process$/.test(module));
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

test("the sources were read", () => {
  expect(PATHS).toContain("app.ts");
  expect(PATHS).toContain("core/config.ts");
  expect(new Set(SOURCES.map(({ room }) => room))).toContain("xmpp");
});

describe("floors and rooms", () => {
  test("every room is in the table", () => {
    const rooms = new Set(SOURCES.map(({ room }) => room).filter(Boolean));
    expect([...rooms].filter((room) => FLOORS[room] === undefined)).toEqual([]);
  });

  test("nothing but the composition root and the entry point stands outside of the rooms", () => {
    expect(SOURCES.filter(({ room }) => room === "").map(({ path }) => path)).toEqual([
      "app.ts",
      "main.ts",
    ]);
  });

  test("imports go down, stay in the room, or take a named way sideways", () => {
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
  ])("the table says whether %s may import %s: %s", (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });

  test("only main.ts starts a process, and nobody imports it or the composition root", () => {
    const importers = SOURCES.flatMap((source) =>
      source.imports
        .map((module) => target(source, module))
        .filter((path) => path === "app.ts" || path === "main.ts")
        .map((path) => `${source.path} → ${path}`),
    );
    expect(importers).toEqual(["main.ts → app.ts"]);
  });

  test("there are no cycles", () => {
    expect(cycles()).toEqual([]);
  });
});

describe("fences", () => {
  test.each(FENCES)("%s is imported by %s alone", (vendor, room) => {
    const outside = SOURCES.filter(
      (source) => source.room !== room && source.imports.some((module) => vendor.test(module)),
    );
    expect(outside.map(({ path }) => path)).toEqual([]);
  });

  test("what owners and clients name is reached through network/ alone", () => {
    const connecting = SOURCES.filter(({ room }) => room !== "network")
      .filter(({ tree }) => connectingUses(tree).length > 0)
      .map(({ path }) => path);
    expect(connecting.sort()).toEqual(Object.keys(OPERATOR_CONNECTIONS));
    const own = SOURCES.filter(({ room }) => room === "network").map(({ tree }) => tree);
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
  ])("%s opens connections: %s", (text, opens) => {
    const tree = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022, true);
    expect(connectingUses(tree).length > 0).toBe(opens);
  });

  test("process.env is read in core/config.ts alone", () => {
    expect(SOURCES.filter(readsEnvironment).map(({ path }) => path)).toEqual(["core/config.ts"]);
  });

  test("time, randomness and console are used in core alone", () => {
    const uses = SOURCES.filter(({ room }) => room !== "core").flatMap((source) =>
      ambientUses(source).map((use) => `${source.path}: ${use}`),
    );
    expect(uses).toEqual([]);
    const core = SOURCES.filter(({ room }) => room === "core").flatMap(ambientUses);
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
    ["push/provider/provider.ts", "Provider"],
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
  test("are kebab-case, with a kind behind a dot", () => {
    const shape = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.(ts|tsx)$/;
    expect([...PATHS].filter((path) => !shape.test(path))).toEqual([]);
  });

  test("say what a file is about", () => {
    const empty = /(^|[/-])(utils?|helpers?|commons?|managers?|bases?|impls?|misc)([-./]|$)/;
    expect([...PATHS].filter((path) => empty.test(path))).toEqual([]);
  });

  test("of interfaces have no I in front", () => {
    const prefixed = SOURCES.flatMap(({ path, tree }) =>
      tree.statements
        .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
        .filter((node) => /^I[A-Z][a-z]/.test(node.name.text))
        .map((node) => `${path}: ${node.name.text}`),
    );
    expect(prefixed).toEqual([]);
  });

  test("are imported from where they are declared: there are no barrels", () => {
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

test("what rooms export has a doc comment", () => {
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
