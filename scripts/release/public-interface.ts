import {
  buildSchema,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  findBreakingChanges,
  type InputValueDefinitionNode,
  parse,
  print,
} from "graphql";

/** The committed files of one part of the public interface, by path. */
export type Files = ReadonlyMap<string, string>;

/** Something that clients or operators use by its name. */
interface Member {
  /** How the changelog names it. */
  mention: string;
  /** What they rely on, as text. A difference is a change. */
  form: string;
  /** The member that it belongs to, whose addition or removal includes it. */
  parent?: string;
  /** Whether everyone who uses the parent must use it. */
  isRequired?: boolean;
}

/** Members by their full names, which are unique in their part. */
type Members = Map<string, Member>;

interface Part {
  name: string;
  /** Path of the file that describes it, or of a folder, with a slash at the end. */
  path: string;
  read(files: Files): Members;
  /** What breaks clients. By default every removal, every change and every addition that is required. */
  findBreaking?(before: Files, after: Files): string[];
  /** Whether a changed form breaks nobody. */
  mayChange?: boolean;
}

/** A member of the public interface that was added, changed or removed. */
export interface Change {
  /** The part of the interface, what happened, and the full name of the member. */
  text: string;
  /** How the changelog names the member. */
  mention: string;
}

/** What differs between the public interfaces of two versions. */
export interface Differences {
  changes: Change[];
  /** The changes that break clients or operators, as texts. */
  breaking: string[];
}

const PARTS: readonly Part[] = [
  {
    name: "GraphQL",
    path: "schema/schema.graphql",
    read: (files) => graphqlMembers(textOf(files)),
    findBreaking: (before, after) =>
      findBreakingChanges(buildSchema(textOf(before)), buildSchema(textOf(after))).map(
        ({ description }) => `GraphQL: ${description}`,
      ),
  },
  { name: "REST", path: "schema/openapi.json", read: (files) => restMembers(textOf(files)) },
  { name: "XMPP", path: "schema/xmpp/", read: xmppMembers },
  {
    name: "settings",
    path: ".env.example",
    read: (files) => settingMembers(textOf(files)),
    mayChange: true,
  },
  { name: "commands", path: "docs/COMMANDS.md", read: (files) => commandMembers(textOf(files)) },
  { name: "metrics", path: "docs/METRICS.md", read: (files) => metricMembers(textOf(files)) },
];

/** Reads the files at a path of {@link PARTS} from a version; none if the version does not have them. */
export type ReadFiles = (path: string) => Promise<Files>;

/**
 * Finds what differs between the public interfaces of two versions. A part that the first version lacks is left out.
 * @throws Error if the second version lacks a part
 */
export async function findDifferences(before: ReadFiles, after: ReadFiles): Promise<Differences> {
  const found: Differences = { changes: [], breaking: [] };
  for (const part of PARTS) {
    const [from, to] = await Promise.all([before(part.path), after(part.path)]);
    if (from.size === 0) continue;
    if (to.size === 0) throw new Error(`${part.path} is missing, which describes ${part.name}.`);
    const { changes, breaking } = compare(part, from, to);
    found.changes.push(...changes);
    found.breaking.push(...(part.findBreaking?.(from, to) ?? breaking));
  }
  return found;
}

function compare({ name, read, mayChange }: Part, from: Files, to: Files): Differences {
  const [before, after] = [read(from), read(to)];
  const describe = (what: string) => {
    return ([key, { mention }]: [string, Member]): Change => ({
      text: `${name}: ${what} ${key}`,
      mention,
    });
  };
  const added = missingIn(before, after);
  const required = added.filter(([, { isRequired }]) => isRequired);
  const removed = missingIn(after, before).map(describe("removed"));
  const changed = [...after]
    .filter(([key, { form }]) => before.has(key) && before.get(key)?.form !== form)
    .map(describe("changed"));
  const breaking = [
    ...removed,
    ...required.map(describe("added the required")),
    ...(mayChange ? [] : changed),
  ];
  return {
    changes: [...removed, ...added.map(describe("added")), ...changed],
    breaking: breaking.map(({ text }) => text),
  };
}

/** The members that another version lacks, without those whose parent it lacks. */
function missingIn(other: Members, members: Members): Array<[string, Member]> {
  return [...members].filter(
    ([key, { parent }]) => !other.has(key) && (parent === undefined || other.has(parent)),
  );
}

/** The text of a part that is one file. */
function textOf(files: Files): string {
  return [...files.values()].join("");
}

function graphqlMembers(text: string): Members {
  const members: Members = new Map();
  for (const definition of parse(text).definitions) {
    if (!("name" in definition) || definition.name === undefined) continue;
    const type = definition.name.value;
    const interfaces = "interfaces" in definition ? definition.interfaces : [];
    const types = "types" in definition ? definition.types : [];
    const related = [...(interfaces ?? []), ...(types ?? [])].map(({ name }) => name.value);
    members.set(type, { mention: type, form: [definition.kind, ...related.sort()].join(" ") });
    if ("values" in definition) {
      for (const value of definition.values ?? []) addNode(members, `${type}.`, value, type);
    }
    if (!("fields" in definition)) continue;
    for (const field of definition.fields ?? []) {
      const key = addNode(members, `${type}.`, field, type);
      if (!("arguments" in field)) continue;
      for (const argument of field.arguments ?? []) addNode(members, `${key}.`, argument, key);
    }
  }
  return members;
}

/** Adds a value, field or argument of a type. @returns its full name */
function addNode(
  members: Members,
  prefix: string,
  node: EnumValueDefinitionNode | FieldDefinitionNode | InputValueDefinitionNode,
  parent: string,
): string {
  const mention = node.name.value;
  // Arguments are members themselves.
  const bare = "arguments" in node ? { ...node, arguments: [] } : node;
  const form = print({ ...bare, description: undefined });
  members.set(`${prefix}${mention}`, { mention, form, parent });
  return `${prefix}${mention}`;
}

/** A part of an OpenAPI document. */
interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

interface OpenApiOperation {
  parameters?: Array<{ name: string; in: string; required?: boolean; schema: JsonSchema }>;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<
    string,
    { content?: Record<string, { schema: JsonSchema }>; headers?: Record<string, JsonSchema> }
  >;
}

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

function restMembers(text: string): Members {
  const { paths, components } = JSON.parse(text) as OpenApi;
  const members: Members = new Map();
  const sent = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const key = `${method.toUpperCase()} ${path}`;
      members.set(key, { mention: path, form: "" });
      addOperation(members, key, path, operation);
      sent.add(JSON.stringify(operation.requestBody ?? null));
    }
  }
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    const reference = `"#/components/schemas/${name}"`;
    const isSent = [...sent].some((body) => body.includes(reference));
    addSchema(members, name, { mention: name, form: "" }, schema, isSent);
  }
  return members;
}

function addOperation(
  members: Members,
  parent: string,
  path: string,
  { parameters = [], requestBody, responses }: OpenApiOperation,
): void {
  for (const { name, in: place, required = false, schema } of parameters) {
    const member = { mention: name, form: String(required), parent, isRequired: required };
    addSchema(members, `${parent} ${place} ${name}`, member, schema, true);
  }
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    addSchema(members, `${parent} ${type}`, { mention: path, form: "", parent }, schema, true);
  }
  for (const [status, { content, headers, ...rest }] of Object.entries(responses)) {
    const key = `${parent} ${status}`;
    addSchema(members, key, { mention: path, form: "", parent }, rest, false);
    for (const [type, { schema }] of Object.entries(content ?? {})) {
      const member = { mention: path, form: "", parent: key };
      addSchema(members, `${key} ${type}`, member, schema, false);
    }
    for (const [name, header] of Object.entries(headers ?? {})) {
      addSchema(members, `${key} ${name}`, { mention: name, form: "", parent: key }, header, false);
    }
  }
}

/**
 * Adds a member with a schema, and each of its properties.
 * @param isSent whether clients send it, so that they must know the required properties
 */
function addSchema(
  members: Members,
  key: string,
  member: Member,
  { properties = {}, required = [], ...rest }: JsonSchema,
  isSent: boolean,
): void {
  members.set(key, { ...member, form: `${member.form} ${withoutTexts(rest)}` });
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    const property = { mention: name, form: String(isRequired), parent: key };
    addSchema(
      members,
      `${key}.${name}`,
      { ...property, isRequired: isSent && isRequired },
      schema,
      isSent,
    );
  }
}

/** A schema as JSON, without what only people read. */
function withoutTexts(schema: object): string {
  return JSON.stringify(schema, (name, value) => {
    const isText = /^(description|summary|title)$/.test(name) && typeof value === "string";
    return isText || /^examples?$/.test(name) ? undefined : value;
  });
}

/** Each example of a signal. */
function xmppMembers(files: Files): Members {
  return new Map(
    [...files].map(([path, form]): [string, Member] => {
      const name = path.replace(/^.*\/|\.xml$/g, "");
      // The types of signals are in camelCase.
      const mention = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [name, { mention, form }];
    }),
  );
}

/** The lines `# NAME=default` of .env.example. */
function settingMembers(text: string): Members {
  const lines = text.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return new Map(
    Array.from(lines, ([, name = "", form = ""]): [string, Member] => [
      name,
      { mention: name, form },
    ]),
  );
}

/** The sections of docs/COMMANDS.md and the rows of their tables; the first rows are the options of all commands. */
function commandMembers(text: string): Members {
  const members: Members = new Map();
  let command: string | undefined;
  for (const line of text.split("\n")) {
    const [, name, operands = ""] = /^## ([\w -]+?)( [<[].*)?$/.exec(line) ?? [];
    if (name !== undefined) {
      command = name;
      members.set(command, { mention: command, form: operands });
    }
    const [, flags = "", required] = /^\| `([^`]+)` \| (yes|no) \|/.exec(line) ?? [];
    if (required === undefined) continue;
    const mention = flags.replace(/^.*(--[\w-]+).*$/, "$1");
    const form = `${flags} ${required}`;
    const isRequired = required === "yes";
    members.set(command === undefined ? mention : `${command} ${mention}`, {
      mention,
      form,
      isRequired,
      ...(command !== undefined && { parent: command }),
    });
  }
  return members;
}

/** The rows of docs/METRICS.md, without the values of labels. */
function metricMembers(text: string): Members {
  const rows = text.matchAll(/^\| `(\w+)` \| (\w+) \| (\w+) \| ([^|]*) \|/gm);
  return new Map(
    Array.from(rows, ([, name = "", kind, unit, labels = ""]): [string, Member] => {
      const names = Array.from(labels.matchAll(/`(\w+)`:/g), ([, label]) => label);
      return [name, { mention: name, form: [kind, unit, ...names].join(" ") }];
    }),
  );
}
