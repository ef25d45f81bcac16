import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from "graphql";
import type { CompiledQuery } from "graphql-jit";
import { measureOperation, type OperationSize } from "./operation-size";
import { weighOperation } from "./operation-weight";

/** An operation that is parsed and validated, and compiled once it is worth it. */
export interface Prepared {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  /** The first field asked for: what metrics call the operation. */
  label: string;
  /** How much it asks for. */
  size: OperationSize;
  /** How many requests limits count it as. */
  weight: number;
  /** Bytes that it keeps, by estimate; compiling adds to them. */
  bytes: number;
  uses: number;
  compiled: CompiledQuery | null;
}

/**
 * What a parsed document keeps, measured on Node 20 and rounded up: so much however short it is, for each
 * token (comments are tokens too) with its node and location, and for each character of its text.
 */
const BYTES = { document: 4_000, token: 600, character: 4 };

/** An operation of a document that is valid. */
export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Prepared {
  const [first] = operation.selectionSet.selections;
  const size = measureOperation(schema, document, operation);
  return {
    document,
    operation,
    operationName: operation.name?.value,
    label: first?.kind === Kind.FIELD ? first.name.value : "fragment",
    size,
    weight: weighOperation(schema, document, operation, size),
    bytes: bytesOf(document),
    uses: 0,
    compiled: null,
  };
}

function bytesOf({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token; token = token.next) tokens += 1;
  const characters = loc?.source.body.length ?? 0;
  return BYTES.document + tokens * BYTES.token + characters * BYTES.character;
}
