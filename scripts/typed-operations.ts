import { codegen } from "@graphql-codegen/core";
import * as operationTypes from "@graphql-codegen/typescript-operations";
import {
  buildASTSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
  visit,
} from "graphql";
import { scalars } from "../schema/codegen";

/** Types alone, and no constant objects, so that enums add nothing to the size of the package. */
const CONFIG = { scalars, strictScalars: true, useTypeImports: true, enumType: "string-literal" };

/** A .graphql file with operations and their fragments. */
export interface OperationFile {
  location: string;
  document: DocumentNode;
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
