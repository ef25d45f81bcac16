import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// Not "graphql": loading the whole package takes longer than everything else here together.
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

/** An option of a command: a variable of its operation. */
export interface CommandOption {
  /** Name of the variable: `signUpOpen` is the option `--sign-up-open`. */
  variable: string;
  type: "Boolean" | "Enum" | "ID" | "Number" | "String";
  list: boolean;
  required: boolean;
  /** `@secret`: the value can be read from a file or from standard input. */
  secret: boolean;
  description: string;
}

/** A command: one operation of schema/cli. `AppRotateSecret` is `app rotate-secret`. */
export interface CommandDocument {
  group: string;
  name: string;
  description: string;
  /** The operation as sent, without the directives of the command line. */
  text: string;
  /** `@destructive`: deletes or replaces something for good, and is never suggested for a misspelled name. */
  destructive: boolean;
  options: CommandOption[];
}

/** Directives that only the command line knows. */
const CLI_DIRECTIVES = new Set(["destructive", "secret"]);

/** Option types of the schema's scalars. Any other type of a variable is an enum. */
const OPTION_TYPES: Readonly<Record<string, CommandOption["type"]>> = {
  Boolean: "Boolean",
  ID: "ID",
  Int: "Number",
  SafeInt: "Number",
  String: "String",
  DateTime: "String",
  JSON: "String",
};

/** Reads the commands of a folder of documents. @throws GraphQLError on a syntax error */
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
    description: commentBefore(node.loc),
    text: print(withoutCliDirectives(node)),
    destructive: has(node.directives, "destructive"),
    options: (node.variableDefinitions ?? []).map(
      ({ variable, type, directives, loc }): CommandOption => ({
        variable: variable.name.value,
        ...toType(type),
        secret: has(directives, "secret"),
        description: commentBefore(loc),
      }),
    ),
  };
}

function withoutCliDirectives(node: OperationDefinitionNode): OperationDefinitionNode {
  return visit(node, {
    Directive: ({ name }) => (CLI_DIRECTIVES.has(name.value) ? null : undefined),
  });
}

function has(directives: readonly DirectiveNode[] | undefined, name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) ?? false;
}

function toType(type: TypeNode): Pick<CommandOption, "type" | "list" | "required"> {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...toType(type.type), required: true };
  if (type.kind === Kind.LIST_TYPE) return { ...toType(type.type), list: true, required: false };
  const name = type.name.value;
  return { type: OPTION_TYPES[name] ?? "Enum", list: false, required: false };
}

/** Converts `signUpOpen` to `sign-up-open`. */
export function kebab(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase();
}

/** Operations have no descriptions in GraphQL October 2021, so a preceding comment serves as one. */
function commentBefore(loc: Location | undefined): string {
  const before = loc?.startToken.prev;
  return before?.kind === TokenKind.COMMENT ? before.value.trim() : "";
}
