import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Kind,
  type Location,
  type OperationDefinitionNode,
  parse,
  TokenKind,
  type TypeNode,
} from "graphql";

/** An option of a command: a variable of its document. */
export interface CommandOption {
  /** The variable, `signUpOpen`; the option is `--sign-up-open`. */
  variable: string;
  type: "Boolean" | "Number" | "String";
  list: boolean;
  required: boolean;
  about: string;
}

/** A command: one operation of schema/cli. `AppRotateSecret` is `app rotate-secret`. */
export interface CommandDocument {
  group: string;
  name: string;
  about: string;
  text: string;
  options: CommandOption[];
}

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
  const { loc } = node;
  return {
    group,
    name: rest.join("-"),
    about: commentBefore(loc),
    text: loc === undefined ? "" : loc.source.body.slice(loc.start, loc.end),
    options: (node.variableDefinitions ?? []).map(({ variable, type, loc: place }) => ({
      variable: variable.name.value,
      ...toType(type),
      about: commentBefore(place),
    })),
  };
}

function toType(type: TypeNode): Pick<CommandOption, "type" | "list" | "required"> {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...toType(type.type), required: true };
  if (type.kind === Kind.LIST_TYPE) return { ...toType(type.type), list: true, required: false };
  const name = type.name.value;
  const kind = name === "Boolean" ? name : /Int$/.test(name) ? "Number" : "String";
  return { type: kind, list: false, required: false };
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
