import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";
import {
  FOREIGN_STATEMENTS,
  IMPORTS,
  LAYERS,
  PRISMA_MODELS,
  STATEMENT_FILES,
  TABLE_OWNERS,
} from "../support/module-map";
import { readSchema } from "../support/sql-statements";

/**
 * Holds src to the map of test/support/module-map.ts, which docs/ARCHITECTURE.md describes. When a test here fails, move the code instead
 * of changing the rule.
 */

const SRC = resolve(__dirname, "../../src");
const SCHEMA = readSchema(readFileSync(resolve(SRC, "../prisma/schema.prisma"), "utf8"));

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
  "firebase-admin": /^$/,
  "firebase-admin/app": /^cert$/,
  "firebase-admin/auth": /^$/,
  "firebase-admin/messaging": /^$/,
};

/**
 * Files outside of network/ that open connections, and to what: never to an address from a client or owner.
 */
const OPERATOR_CONNECTIONS: Record<string, string> = {
  "cli/connection/server.ts": "the operator's own server",
  "cli/doctor/chat-probe.ts": "the operator's own chat endpoint",
  "cli/doctor/media-ports.ts": "the UDP ports of this host, which are only bound",
  "conferences/engine/janus-server/connection/janus-connection.ts": "JANUS_URL",
  "conferences/open-engine.ts": "a free UDP port of this host, which is only bound",
  "health/checks/chat-server.ts": "CHAT_SERVER",
  "health/checks/fetch-text.ts": "the operator's own server",
  "health/checks/turn-connection.ts": "TURN_URLS",
  "store/database-copies.ts": "the server's own socket in DATA_DIR",
  "xmpp/component/component-connection.ts": "CHAT_SERVER",
};

interface Source {
  /** Path below the folder of its layer, with slashes; of core/ and the composition root, below src. */
  path: string;
  /** Path below src, with slashes. */
  file: string;
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

const parse = (text: string, path = "a.ts") =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);

/** Takes the layer from a path below src; core is both a layer and a module. */
const withoutLayer = (path: string) => {
  const [layer = "", ...rest] = path.split("/");
  return LAYERS.includes(layer) && layer !== "core" ? rest.join("/") : path;
};

/** The layer of each module. */
const LAYER_OF = new Map([
  ["core", 0],
  ...LAYERS.slice(1).flatMap((layer, index) =>
    readdirSync(join(SRC, layer)).map((module): [string, number] => [module, index + 1]),
  ),
] as [string, number][]);

const SOURCES: Source[] = sourceFiles(SRC).map((absolute) => {
  const file = relative(SRC, absolute).split(sep).join("/");
  const path = withoutLayer(file);
  const text = readFileSync(absolute, "utf8");
  const tree = ts.createSourceFile(absolute, text, ts.ScriptTarget.ES2022, true);
  return {
    path,
    file,
    module: path.includes("/") ? path.split("/")[0]! : "",
    text,
    tree,
    imports: importsOf(tree),
  };
});
const PATHS = new Set(SOURCES.map(({ file }) => file));

/** The file that a relative import resolves to, without its layer. */
function target(source: Source, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = relative(SRC, resolve(SRC, dirname(source.file), specifier))
    .split(sep)
    .join("/");
  if (path.startsWith("platform/store/generated/")) return "store/generated";
  const file = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}.d.ts`].find((each) =>
    PATHS.has(each),
  );
  if (file === undefined)
    throw new Error(`${source.file} imports ${specifier}, which is not a file below src`);
  return withoutLayer(file);
}

const folderOf = (path: string) => (path.includes("/") ? dirname(path) : "");
const layerOf = (folder: string) => LAYER_OF.get(folder.split("/")[0] ?? "");

/** Whether one folder may import from another. The empty name is the root: app.ts and its parts. */
function mayImport(from: string, to: string): boolean {
  if (from === "" || from === to) return true;
  const [lower, upper] = [layerOf(to), layerOf(from)];
  if (to === "" || lower === undefined || upper === undefined) return false;
  return lower < upper || (IMPORTS[from] ?? []).includes(to);
}

/** Folders that a file imports from. */
function importedFolders(source: Source): string[] {
  return source.imports
    .map((specifier) => target(source, specifier))
    .filter((path): path is string => path !== undefined)
    .map((path) => (path === "store/generated" ? "store" : folderOf(path)));
}

/** Relative imports that the map forbids, as `file → folder`. */
function forbiddenImports(sources: Source[]): string[] {
  return sources.flatMap((source) =>
    importedFolders(source)
      .filter((folder) => !mayImport(folderOf(source.path), folder))
      .map((folder) => `${source.path} → ${folder}`),
  );
}

/** Cycles of a directed graph, as `a → b → a`. */
function cyclesOf(next: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (name: string, trail: string[]): void => {
    const index = trail.indexOf(name);
    if (index >= 0) {
      found.push([...trail.slice(index), name].join(" → "));
      return;
    }
    if (done.has(name)) return;
    for (const each of next.get(name) ?? []) walk(each, [...trail, name]);
    done.add(name);
  };
  for (const name of next.keys()) walk(name, []);
  return found;
}

/** Operations of a model of the Prisma client. */
const OPERATION =
  /^(find(Unique|First)(OrThrow)?|findMany|create(Many)?(AndReturn)?|update(Many)?(AndReturn)?|upsert|delete(Many)?|count|aggregate|groupBy)$/;

/** The beginning of an SQL statement on tables. */
const SQL = /^\s*(WITH|SELECT|INSERT INTO|UPDATE \w+|DELETE FROM)\s/;

/** Tables that operations of the Prisma client in a file read or write, also through relations. */
function prismaTables(tree: ts.SourceFile): string[] {
  const found: string[] = [];
  const relationsIn = (model: string, node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      found.push(SCHEMA.relations.get(`${model}.${node.name.getText(tree)}`) ?? "");
    }
    ts.forEachChild(node, (child) => relationsIn(model, child));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: target, name } = node.expression;
      const model = ts.isPropertyAccessExpression(target) ? target.name.text : target.getText(tree);
      const table = PRISMA_MODELS[model];
      if (table !== undefined && OPERATION.test(name.text)) {
        found.push(table);
        for (const argument of node.arguments) relationsIn(model, argument);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The beginnings of SQL statements that a file contains as texts. */
function sqlTexts(tree: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      if (SQL.test(node.text)) found.push(node.text.trim().split(/\s+/).slice(0, 3).join(" "));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Tables that a file has statements on, in SQL or through the Prisma client. */
function tablesOf(text: string): string[] {
  const sql = /\b(?:FROM|JOIN|UPDATE|INTO)\s+"?([a-z_]+)|expiredRows\("([a-z_]+)"\)/g;
  const named = [...text.matchAll(sql)].map((match) => match[1] ?? match[2] ?? "");
  const operations = prismaTables(parse(text));
  return [...new Set([...named, ...operations])].filter(
    (table) => TABLE_OWNERS[table] !== undefined,
  );
}

/** Statements on tables of other modules, as `file: table`. */
function foreignStatements(sources: ReadonlyArray<Pick<Source, "path" | "text">>): string[] {
  return sources.flatMap(({ path, text }) =>
    tablesOf(text)
      .filter((table) => !path.startsWith(`${TABLE_OWNERS[table]}/`))
      .map((table) => `${path}: ${table}`),
  );
}

/** Statements outside of the files for them, as `file: statement`. */
function strayStatements(sources: ReadonlyArray<Pick<Source, "path" | "text">>): string[] {
  return sources
    .filter(({ path }) => !/-queries\.ts$/.test(path) && STATEMENT_FILES[path] === undefined)
    .flatMap(({ path, text }) => {
      const tree = parse(text);
      return [...sqlTexts(tree), ...prismaTables(tree).filter(Boolean)].map(
        (statement) => `${path}: ${statement}`,
      );
    });
}

/** The folders that each folder imports from. */
function folderGraph(sources: Source[]): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const source of sources) {
    const from = folderOf(source.path);
    const to = importedFolders(source).filter((folder) => folder !== from);
    graph.set(from, [...new Set([...(graph.get(from) ?? []), ...to])]);
  }
  return graph;
}

/** The names that `const { a, b: c } = await import(…)` or `require(…)` takes; `*` for the whole module. */
function destructuredNames(load: ts.Expression): string[] {
  const value = ts.isAwaitExpression(load.parent) ? load.parent : load;
  const { parent } = value;
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return ["*"];
  return parent.name.elements.map((each) =>
    each.dotDotDotToken ? "*" : (each.propertyName ?? each.name).getText(),
  );
}

/** Uses in a file that can open connections, as `specifier.name`. */
function connectingUses(tree: ts.SourceFile): string[] {
  const uses: string[] = [];
  const imported = (specifier: string, name: string) => {
    const harmless = CONNECTING[specifier.replace(/^node:/, "")];
    if (harmless && !harmless.test(name)) uses.push(`${specifier}.${name}`);
    // A credential of firebase-admin connects itself unless its client gets a custom function.
    if (specifier === "firebase-admin/app" && !/\bfetchImplementation\b/.test(tree.text)) {
      uses.push(`${specifier}.${name}`);
    }
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
      if (loads && specifier && ts.isStringLiteralLike(specifier)) {
        for (const name of destructuredNames(node)) imported(specifier.text, name);
      }
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

test("the sources are found", () => {
  expect(PATHS).toContain("app.ts");
  expect(PATHS).toContain("core/config.ts");
  expect(new Set(SOURCES.map(({ module }) => module))).toContain("xmpp");
});

describe("layers and modules", () => {
  test("every folder is in the map, and the map has no other", () => {
    const folders = new Set(SOURCES.map(({ path }) => folderOf(path)).filter(Boolean));
    expect([...folders].sort()).toEqual(Object.keys(IMPORTS).sort());
    expect([...folders].filter((folder) => layerOf(folder) === undefined)).toEqual([]);
  });

  test("no two layers have a module of the same name", () => {
    const names = LAYERS.slice(1).flatMap((layer) => readdirSync(join(SRC, layer)));
    expect(names).toHaveLength(new Set(names).size);
  });

  test("only the composition root and the entry point are outside of the folders", () => {
    expect(SOURCES.filter(({ module }) => module === "").map(({ path }) => path)).toEqual([
      "app.ts",
      "auth-lookups.ts",
      "chat-endpoint.ts",
      "main.ts",
      "open-domain.ts",
      "open-platform.ts",
      "open-transports.ts",
    ]);
  });

  test("imports go to a lower layer, the same folder, or a folder that the map lists", () => {
    expect(forbiddenImports(SOURCES)).toEqual([]);
  });

  test("the map lists no import that does not exist", () => {
    const actual = folderGraph(SOURCES);
    const unused = Object.entries(IMPORTS).flatMap(([from, to]) =>
      to.filter((each) => !actual.get(from)?.includes(each)).map((each) => `${from} → ${each}`),
    );
    expect(unused).toEqual([]);
  });

  test.each([
    ["core", "store", false],
    ["core", "core", true],
    ["store", "bus", false],
    ["users", "store", true],
    ["users", "calls/history", false],
    ["users", "sessions", false],
    ["calls/history", "push/events", true],
    ["push/events", "push/delivery", false],
    ["push/credentials", "network", true],
    ["network", "store", false],
    ["calls", "graphql", false],
    ["rest", "graphql/engine", true],
    ["graphql", "rest", false],
    ["xmpp/c2s", "graphql", false],
    ["xmpp/c2s", "calls", true],
    ["http", "rest", false],
    ["users", "", false],
    ["", "xmpp", true],
    ["unlisted", "core", false],
  ])("%s may import %s: %s", (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });

  test("only the composition root imports its parts", () => {
    const importers = SOURCES.flatMap((source) =>
      source.imports
        .map((specifier) => target(source, specifier))
        .filter((path): path is string => path !== undefined && !path.includes("/"))
        .map((path) => `${source.path} → ${path}`),
    );
    expect(importers.sort()).toEqual([
      "app.ts → open-domain.ts",
      "app.ts → open-platform.ts",
      "app.ts → open-transports.ts",
      "chat-endpoint.ts → open-platform.ts",
      "main.ts → app.ts",
      "open-domain.ts → auth-lookups.ts",
      "open-domain.ts → open-platform.ts",
      "open-transports.ts → chat-endpoint.ts",
      "open-transports.ts → open-domain.ts",
      "open-transports.ts → open-platform.ts",
    ]);
  });

  // Biome finds cycles between files (biome.json).
  test("there are no import cycles between folders", () => {
    expect(cyclesOf(folderGraph(SOURCES))).toEqual([]);
  });

  test("a planted cycle is found", () => {
    const planted = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
    ]);
    expect(cyclesOf(planted)).toEqual(["b → c → b"]);
  });
});

describe("tables", () => {
  test("every table of schema.prisma has an owner, which is a folder", () => {
    const schema = readFileSync(resolve(SRC, "../prisma/schema.prisma"), "utf8");
    const models = [...schema.matchAll(/^model (\w+) \{[\s\S]*?^\s+@@map\("(\w+)"\)/gm)];
    const mapped = models.map(([, model = "", table = ""]) => [
      `${model[0]?.toLowerCase()}${model.slice(1)}`,
      table,
    ]);
    expect(mapped.length).toBeGreaterThan(10);
    expect(Object.fromEntries(mapped)).toEqual(PRISMA_MODELS);
    expect(Object.keys(TABLE_OWNERS).sort()).toEqual(mapped.map(([, table]) => table).sort());
    expect(Object.values(TABLE_OWNERS).filter((folder) => IMPORTS[folder] === undefined)).toEqual(
      [],
    );
  });

  test("only the owner of a table has statements on it, except those listed with a reason", () => {
    const listed = Object.entries(FOREIGN_STATEMENTS).flatMap(([path, { tables }]) =>
      tables.map((table) => `${path}: ${table}`),
    );
    expect(foreignStatements(SOURCES).sort()).toEqual(listed.sort());
    const reasons = Object.values(FOREIGN_STATEMENTS).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  });

  test.each([
    ["calls/a.ts", "`DELETE FROM users WHERE id = 1`", ["calls/a.ts: users"]],
    ["calls/a.ts", "`SELECT 1 FROM x JOIN\n  sessions s ON true`", ["calls/a.ts: sessions"]],
    ["calls/a.ts", "await tx.userTag.deleteMany({})", ["calls/a.ts: user_tags"]],
    ["calls/a.ts", "await (await prisma()).user.create({ data })", ["calls/a.ts: users"]],
    ["calls/a.ts", "const { user } = db; user.update({})", ["calls/a.ts: users"]],
    ["sign-in/a.ts", "identity.create({ data: { user: { create } } })", ["sign-in/a.ts: users"]],
    ["users/a.ts", "user.create({ data: { tags: { create } } })", []],
    ["calls/a.ts", "seen.user.add({})", []],
    ["calls/a.ts", 'expiredRows("sessions")', ["calls/a.ts: sessions"]],
    ["users/a.ts", "`UPDATE users SET a = 1`", []],
    ["calls/a.ts", "`SELECT 1 FROM pg_tables`", []],
  ])("in %s, %s is found as %j", (path, text, found) => {
    expect(foreignStatements([{ path, text }])).toEqual(found);
  });
});

describe("statements", () => {
  test("are in *-queries.ts, except for the files listed with a reason", () => {
    expect(strayStatements(SOURCES)).toEqual([]);
    const listed = Object.keys(STATEMENT_FILES);
    const used = SOURCES.filter(
      ({ path, tree }) => listed.includes(path) && sqlTexts(tree).length > 0,
    );
    expect(used.map(({ path }) => path).sort()).toEqual(listed.sort());
    expect(Object.values(STATEMENT_FILES).filter((reason) => reason.length < 20)).toEqual([]);
  });

  test.each([
    ["users/a.ts", 'const FIND = { name: "find", text: "SELECT 1" };', "SELECT 1"],
    ["users/a.ts", `query(\`WITH \${A} SELECT 1\`)`, "WITH"],
    ["users/a.ts", "execute(`\n  DELETE FROM users WHERE id = $1`)", "DELETE FROM users"],
    ["users/a.ts", "await store.db.user.findMany()", "users"],
    ["users/a-queries.ts", 'const FIND = "SELECT 1"', null],
    ["users/a.ts", 'throw new Error("SELECTED")', null],
  ])("in %s, %s is found as %s", (path, text, found) => {
    expect(strayStatements([{ path, text }])).toEqual(found === null ? [] : [`${path}: ${found}`]);
  });
});

describe("connections", () => {
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
    ['const { cert } = await import("firebase-admin/app")', true],
    ['const { cert } = await import("firebase-admin/app"); set({ fetchImplementation })', false],
    ['const { getApp } = await import("firebase-admin/app"); set({ fetchImplementation })', true],
    ['import { getMessaging } from "firebase-admin/messaging"', true],
    ['import type { Message } from "firebase-admin/messaging"', false],
    ['const { constants: c } = require("node:http2")', false],
    ['const { constants, ...others } = require("node:http2")', true],
    ["createRemoteJWKSet(url)", true],
    ["createRemoteJWKSet(url, { [customFetch]: read })", false],
  ])("%s can open connections: %s", (text, opens) => {
    const tree = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022, true);
    expect(connectingUses(tree).length > 0).toBe(opens);
  });
});

describe("ports", () => {
  test.each([
    ["bus/bus.ts", 5, "Bus"],
    ["jobs/jobs.ts", 4, "Jobs"],
    ["push/providers/port/provider.ts", 4, "Provider"],
  ])("the port of %s has at most %i methods", (path, methodsMax, name) => {
    const source = SOURCES.find((each) => each.path === path);
    const port = source?.tree.statements.find(
      (node): node is ts.InterfaceDeclaration =>
        ts.isInterfaceDeclaration(node) && node.name.text === name,
    );
    const methods = (port?.members ?? []).filter(ts.isMethodSignature);
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.length).toBeLessThanOrEqual(methodsMax);
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

  // Biome finds the others (tools/lint/names.grit).
  test("are not those of barrel files, nor is a file one that only passes types on", () => {
    const barrels = SOURCES.filter(
      ({ path, tree }) =>
        /(^|\/)index\.tsx?$/.test(path) ||
        (tree.statements.length > 0 && tree.statements.every(ts.isExportDeclaration)),
    );
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
