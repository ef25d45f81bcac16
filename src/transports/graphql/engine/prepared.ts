import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from "graphql";
import type { CompiledQuery } from "graphql-jit";
import { measureOperation, type OperationSize } from "./operation-size";
import { weighOperation } from "./operation-weight";

/** A parsed and validated operation, which is compiled if it is used often. */
export interface PreparedOperation {
  /** The schema that it is valid for and runs on. */
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  /** The first root field; the metrics' label `operation`. */
  label: string;
  size: OperationSize;
  /** Number of requests that rate limits count it as. */
  weight: number;
  /** Estimated memory in bytes; compiling adds to it. */
  bytes: number;
  uses: number;
  compiled: CompiledQuery | null;
}

/**
 * Memory of a parsed document in bytes, measured on Node 20 and rounded up: fixed, per token with its node
 * and location (comments are tokens too), and per character.
 */
const BYTES = { document: 4_000, token: 600, character: 4 };

/** Measures and weighs an operation of a valid document. */
export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): PreparedOperation {
  const [first] = operation.selectionSet.selections;
  const size = measureOperation(schema, document, operation);
  return {
    schema,
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
