import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// The parts of GraphQL that are needed: the whole takes longer to load than all else here together.
import {
  type DirectiveNode,
  Kind,
  type Location,
  type OperationDefinitionNode,
  parse,
  print,
  TokenKind,
  type TypeNode,
  visit,
} from "graphql/language";

/** An option of a command: a variable of its document. */
export interface CommandOption {
  /** The variable, `signUpOpen`; the option is `--sign-up-open`. */
  variable: string;
  type: "Boolean" | "Enum" | "ID" | "Number" | "String";
  list: boolean;
  required: boolean;
  /** Marked `@secret`: it can be read from a file or from standard input. */
  secret: boolean;
  about: string;
}

/** A command: one operation of schema/cli. `AppRotateSecret` is `app rotate-secret`. */
export interface CommandDocument {
  group: string;
  name: string;
  about: string;
  /** The operation as it is sent. */
  text: string;
  /** Marked `@json`: what is answered is JSON at all times, to be kept in a file. */
  json: boolean;
  options: CommandOption[];
}

/** Directives of schema/cli, which are for the command line alone. */
const OWN = new Set(["json", "secret"]);

/** What the scalars of the schema are on a command line; all other types of variables are enums. */
const KINDS: Readonly<Record<string, CommandOption["type"]>> = {
  Boolean: "Boolean",
  ID: "ID",
  Int: "Number",
  SafeInt: "Number",
  String: "String",
  DateTime: "String",
  JSON: "String",
};

/** The commands of a folder of documents. @throws GraphQLError for a document that cannot be read */
export function readCommands(folder: string): CommandDocument[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".graphql"))
    .sort()
    .flatMap((file) => parse(readFileSync(join(folder, file), "utf8")).definitions)
    .filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)
    .map(toCommand);
}

function toCommand(node: OperationDefinitionNode): CommandDocument {
  const [group = "", ...rest] = kebab(node.name?.value ?? "").split("-");
  return {
    group,
    name: rest.join("-"),
    about: commentBefore(node.loc),
    text: print(visit(node, { Directive: ({ name }) => (OWN.has(name.value) ? null : undefined) })),
    json: has(node.directives, "json"),
    options: (node.variableDefinitions ?? []).map(({ variable, type, directives, loc }) => ({
      variable: variable.name.value,
      ...toType(type),
      secret: has(directives, "secret"),
      about: commentBefore(loc),
    })),
  };
}

function has(directives: readonly DirectiveNode[] | undefined, name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) ?? false;
}

function toType(type: TypeNode): Pick<CommandOption, "type" | "list" | "required"> {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...toType(type.type), required: true };
  if (type.kind === Kind.LIST_TYPE) return { ...toType(type.type), list: true, required: false };
  const name = type.name.value;
  return { type: KINDS[name] ?? "Enum", list: false, required: false };
}

/** `signUpOpen` as `sign-up-open`. */
export function kebab(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase();
}

/** Operations have no descriptions yet (GraphQL, October 2021), so a comment is theirs. */
function commentBefore(loc: Location | undefined): string {
  const before = loc?.startToken.prev;
  return before?.kind === TokenKind.COMMENT ? before.value.trim() : "";
}
