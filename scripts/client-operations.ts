import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as operationTypes from "@graphql-codegen/typescript-operations";
import {
  buildASTSchema,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from "graphql";
import { scalars } from "../schema/codegen";

const HEADER = `// Generated from client/operations by npm run generate.
import type { Document } from "../transport/document.ts";
`;

/** Types alone, and no constant objects, so that enums add nothing to the size of the package. */
const CONFIG = { scalars, strictScalars: true, useTypeImports: true, enumType: "string-literal" };

/** A .graphql file with operations and their fragments. */
export interface OperationFile {
  location: string;
  document: DocumentNode;
}

/**
 * The operations of the package in client/: the types of their results and variables, and each document as text.
 * @param folder of the .graphql files
 * @param sdl schema/schema.graphql, which the operations must fit. Its enums have the names of GraphQL, where the
 *   schema object has internal values.
 */
export async function clientOperations(folder: string, sdl: string): Promise<string> {
  const schema = parse(sdl);
  const documents = readdirSync(folder)
    .sort()
    .map((name) => ({
      location: name,
      document: parse(readFileSync(join(folder, name), "utf8")),
    }));
  return `${HEADER}\n${errorCodes(schema)}\n\n${await typedDocuments(documents, schema)}`;
}

/**
 * The types of the results and variables of operations, and each operation as text with these types.
 * @param schema of schema/schema.graphql
 */
export async function typedDocuments(
  documents: readonly OperationFile[],
  schema: DocumentNode,
): Promise<string> {
  const types = await codegen({
    filename: "operations.ts",
    schema,
    schemaAst: buildASTSchema(schema),
    documents: [...documents],
    config: CONFIG,
    plugins: [{ operations: {} }],
    pluginMap: { operations: operationTypes },
  });
  const definitions = documents.flatMap(({ document }) => [...document.definitions]);
  const fragments = new Map(
    definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const constants = definitions
    .filter((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => constantOf(operation, fragments));
  return `${types.trim()}\n\n${constants.join("\n")}`;
}

/** The codes of errors, which no operation mentions. */
function errorCodes(schema: DocumentNode): string {
  const codes = schema.definitions.find(
    (each): each is EnumTypeDefinitionNode =>
      each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === "ErrorCode",
  );
  const names = codes?.values?.map(({ name }) => `  | "${name.value}"`) ?? [];
  return `/** The code of an error of the service (docs/ERRORS.md). */\nexport type ErrorCode =\n${names.join("\n")};`;
}

function constantOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string {
  const name = operation.name?.value;
  if (!name) throw new Error("An operation has no name");
  const kind = operation.operation.replace(/^./, (letter) => letter.toUpperCase());
  const used = [...usedFragments(operation, fragments)];
  const text = stripIgnoredCharacters([operation, ...used].map(print).join("\n"));
  return `export const ${name}Document =\n  ${JSON.stringify(text)} as Document<\n    ${name}${kind},\n    ${name}${kind}Variables\n  >;\n`;
}

/** The fragments that a definition spreads, directly or through others. @throws Error for an unknown one */
function usedFragments(
  definition: OperationDefinitionNode | FragmentDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  found = new Set<FragmentDefinitionNode>(),
): Set<FragmentDefinitionNode> {
  visit(definition, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value);
      if (!fragment) throw new Error(`There is no fragment ${name.value}`);
      if (found.has(fragment)) return;
      found.add(fragment);
      usedFragments(fragment, fragments, found);
    },
  });
  return found;
}
