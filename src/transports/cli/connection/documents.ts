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
import { readEnums } from "./schema-enums";

/** An option of a command: a variable of its operation. */
export interface CommandOption {
  /** Name of the variable: `signUpOpen` is the option `--sign-up-open`. */
  variable: string;
  type: "Boolean" | "Enum" | "ID" | "Number" | "String" | "Time";
  /** The values of an enum as they are typed, in lower case with hyphens. */
  values?: string[];
  list: boolean;
  required: boolean;
  /** `@secret`: the value can be read from a file or from standard input. */
  secret: boolean;
  description: string;
}

/**
 * A command: one operation of schema/cli. `AppRotateSecret` is `app rotate-secret`. An underscore ends a group of several
 * words: `ApiKey_Create` is `api-key create`.
 */
export interface CommandDocument {
  group: string;
  name: string;
  description: string;
  /** The operation as sent, without the directives of the command line. */
  text: string;
  /** The query of what the command deletes for good, which asks first: the operation of the same name with `Preview`. */
  preview?: { text: string; variables: string[] };
  /** `@destructive`: deletes or replaces something for good, and is never suggested for a misspelled name. */
  destructive: boolean;
  options: CommandOption[];
  /** The variables of the operation, which are among the options. */
  variables: string[];
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
  DateTime: "Time",
  JSON: "String",
};

/** The end of the name of an operation that is no command, but the preview of one. */
const PREVIEW = "Preview";

/** The values of enums, by name. */
type Enums = ReturnType<typeof readEnums>;

/** Reads the commands of a folder of documents beside schema.graphql. @throws GraphQLError on a syntax error */
export function readCommands(folder: string): CommandDocument[] {
  const enums = readEnums(join(folder, "../schema.graphql"));
  const operations = readdirSync(folder)
    .filter((file) => file.endsWith(".graphql"))
    .sort()
    .flatMap((file) => parse(readFileSync(join(folder, file), "utf8")).definitions)
    .filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION);
  const previews = new Map(operations.map((node) => [node.name?.value ?? "", node]));
  return operations
    .filter((node) => !node.name?.value.endsWith(PREVIEW))
    .map((node) => toCommand(node, previews.get(`${node.name?.value}${PREVIEW}`), enums));
}

function toCommand(
  node: OperationDefinitionNode,
  preview: OperationDefinitionNode | undefined,
  enums: Enums,
): CommandDocument {
  const own = optionsOf(node, enums);
  const asked = preview === undefined ? [] : optionsOf(preview, enums);
  const isOwn = ({ variable }: CommandOption) => own.some((each) => each.variable === variable);
  const variables = asked.map(({ variable }) => variable);
  return {
    ...commandOf(node.name?.value ?? ""),
    description: commentBefore(node.loc),
    text: print(withoutCliDirectives(node)),
    destructive: has(node.directives, "destructive"),
    ...(preview === undefined ? {} : { preview: { text: print(preview), variables } }),
    options: [...asked.filter((option) => !isOwn(option)), ...own],
    variables: own.map(({ variable }) => variable),
  };
}

function optionsOf(node: OperationDefinitionNode, enums: Enums): CommandOption[] {
  return (node.variableDefinitions ?? []).map(
    ({ variable, type, directives, loc }): CommandOption => ({
      variable: variable.name.value,
      ...toType(type, enums),
      secret: has(directives, "secret"),
      description: commentBefore(loc),
    }),
  );
}

function commandOf(operation: string): Pick<CommandDocument, "group" | "name"> {
  const [words = "", own] = operation.split("_");
  if (own !== undefined) return { group: kebab(words), name: kebab(own) };
  const [group = "", ...rest] = kebab(words).split("-");
  return { group, name: rest.join("-") };
}

function withoutCliDirectives(node: OperationDefinitionNode): OperationDefinitionNode {
  return visit(node, {
    Directive: ({ name }) => (CLI_DIRECTIVES.has(name.value) ? null : undefined),
  });
}

function has(directives: readonly DirectiveNode[] | undefined, name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) ?? false;
}

function toType(
  type: TypeNode,
  enums: Enums,
): Pick<CommandOption, "type" | "list" | "required" | "values"> {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...toType(type.type, enums), required: true };
  if (type.kind === Kind.LIST_TYPE) {
    return { ...toType(type.type, enums), list: true, required: false };
  }
  const name = type.name.value;
  const known = OPTION_TYPES[name];
  if (known !== undefined) return { type: known, list: false, required: false };
  const values = (enums.get(name) ?? []).map((value) => value.toLowerCase().replaceAll("_", "-"));
  return { type: "Enum", values, list: false, required: false };
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
