import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  concatAST,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getLocation,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  validate,
} from "graphql";
import { type RestDirective, type RestMethod, readRest, withDirectives } from "./directives";
import { checkRest, checkSelection, type Report, routeKey } from "./document-checks";
import { type EngineOperation, toEngineText } from "./engine-operation";
import { type RestParameter, readParameters } from "./parameters";
import { readSelection, type Selection } from "./selection";

/** A file of schema/rest. */
export interface RestFile {
  /** File name, as shown in errors. */
  name: string;
  text: string;
}

/** A group of routes: those of one file. */
export interface RestTag {
  /** The file's name as a title: `Push events`. */
  name: string;
  /** The comment in the file's first line. */
  description?: string;
}

/** One route: a parsed and validated operation of schema/rest. */
export interface RestDocument extends EngineOperation {
  /** Name of the operation. */
  name: string;
  kind: "query" | "mutation";
  method: RestMethod;
  /** As written in the document, with `{name}` for path parameters. */
  path: string;
  /** Keys to the part of the data that is the response body. */
  pick: string[];
  body: RestDirective["body"];
  status: number;
  description?: string;
  tag: RestTag;
  parameters: RestParameter[];
  selection: Selection;
  /** Wire names for errors, by the input field's path and by its name. */
  errorKeys: ReadonlyMap<string, string>;
}

/** All errors of the documents, each with its file, line and column. */
export class RestDocumentsError extends Error {
  override readonly name = "RestDocumentsError";
  constructor(readonly problems: string[]) {
    super(`The REST documents are invalid:\n${problems.map((text) => `  - ${text}`).join("\n")}`);
  }
}

/** Reads the .graphql files of a folder, sorted by name. */
export function readRestFiles(folder: string): RestFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".graphql"))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/**
 * Reads the operations of the files as routes. Operations may use fragments of any file.
 * @param schema the schema with the members of REST; the directives are added here
 * @throws RestDocumentsError for syntax and validation errors, a missing or invalid `@rest`, variables that
 * cannot be bound, and two operations on one route
 */
export function readDocuments(files: readonly RestFile[], schema: GraphQLSchema): RestDocument[] {
  const extended = withDirectives(schema);
  const merged = parseFiles(files);
  const invalid = validate(extended, merged, undefined, { maxErrors: 100 });
  if (invalid.length > 0) throw new RestDocumentsError(invalid.map(describe));

  const problems: string[] = [];
  const report: Report = (node, text) => {
    problems.push(describe(new GraphQLError(text, { nodes: node })));
  };
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of merged.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    } else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else report(definition, "A document may only contain operations and fragments");
  }
  const tags = new Map(files.map((file) => [file.name, tagOf(file)]));
  const routes = new Map<string, string>();
  const documents: RestDocument[] = [];
  for (const operation of operations) {
    const rest = readRest(extended, operation);
    const name = operation.name?.value;
    if (!rest) report(operation, "The operation has no @rest");
    else if (!name) report(operation, "The operation has no name");
    else {
      checkRest(operation, rest, report);
      const key = routeKey(rest.method, rest.path);
      const other = routes.get(key);
      if (other) report(operation, `${rest.method} ${rest.path} is already the route of ${other}`);
      routes.set(key, name);
      const tag = tags.get(operation.loc?.source.name ?? "") ?? { name: "" };
      documents.push({
        ...readDocument(extended, operation, name, rest, fragments, report),
        tag,
      });
    }
  }
  if (problems.length > 0) throw new RestDocumentsError(problems);
  return documents;
}

function readDocument(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  name: string,
  rest: RestDirective,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  report: Report,
): Omit<RestDocument, "tag"> {
  const parameters = readParameters(schema, operation, rest, report);
  const root = schema.getRootType(operation.operation) as GraphQLObjectType;
  const selection = readSelection(schema, root, [operation.selectionSet], fragments);
  const pick = rest.pick ? rest.pick.split(".") : [];
  checkSelection(operation, selection, pick, report);
  const engine = toEngineText(schema, operation, fragments);
  return {
    ...engine,
    name,
    kind: operation.operation === "mutation" ? "mutation" : "query",
    method: rest.method,
    path: rest.path,
    pick,
    body: rest.body,
    status: rest.status,
    description: operation.description?.value,
    parameters,
    selection,
    errorKeys: errorKeys(engine, parameters),
  };
}

function tagOf({ name, text }: RestFile): RestTag {
  const words = name.replace(/\.graphql$/, "").replaceAll("-", " ");
  const description = /^# ?([^\n]*)/.exec(text)?.[1];
  return {
    name: words.slice(0, 1).toUpperCase() + words.slice(1),
    ...(description && { description }),
  };
}

/** Errors of a FIELD_OPERATORS variable have the key `base`, as it is bound to the whole query. */
function errorKeys(
  { uses }: EngineOperation,
  parameters: readonly RestParameter[],
): ReadonlyMap<string, string> {
  const byVariable = new Map(parameters.map((parameter) => [parameter.variable, parameter]));
  const keys = new Map<string, string>();
  for (const [path, variable] of uses) {
    const parameter = byVariable.get(variable);
    if (!parameter) continue;
    const key = parameter.binder === "FIELD_OPERATORS" ? "base" : parameter.key;
    keys.set(path, key);
    const last = path.slice(path.lastIndexOf(".") + 1);
    if (!keys.has(last)) keys.set(last, key);
  }
  return keys;
}

function parseFiles(files: readonly RestFile[]): DocumentNode {
  const problems: string[] = [];
  const documents: DocumentNode[] = [];
  for (const { name, text } of files) {
    try {
      documents.push(parse(new Source(text, name)));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.push(describe(error));
    }
  }
  if (problems.length > 0) throw new RestDocumentsError(problems);
  return concatAST(documents);
}

/** `users.graphql:12:3 Cannot query field …` */
function describe(error: GraphQLError): string {
  const location = error.nodes?.[0]?.loc;
  const source = location?.source ?? error.source;
  const start = location?.start ?? error.positions?.[0];
  if (!source || start === undefined) return error.message;
  const { line, column } = getLocation(source, start);
  return `${source.name}:${line}:${column} ${error.message}`;
}
