import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import { isCompilable } from "./compilable";
import type { Context } from "./context";
import { documentError, faultError, sourceError, syntaxFault, toGraphQLError } from "./error";
import { answerEach, isPromise } from "./events";
import { type Limits, limitRules } from "./limits";
import { measureOperation, type OperationSize } from "./operation-size";

/** A way in. */
export type Door = "graphql" | "websocket" | "rest";

/** An operation that is parsed and validated, and compiled once it is worth it. */
export interface Prepared {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  /** The first field asked for: what metrics call the operation. */
  label: string;
  /** How much it asks for: what limits count it as. */
  size: OperationSize;
  uses: number;
  compiled: CompiledQuery | null;
}

/** What an operation answers: one result, or the results of a subscription one after the other. */
export type Answer = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Refused before it ran: the mistakes of a document. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
  }
}

/** Mistakes of one document that are told at most. */
const MAX_ERRORS = 10;
/** Characters of all documents in the cache at most. */
const CACHE_CHARACTERS = 8_000_000;
/** Uses after which an operation is compiled: one that comes once is not worth it. */
const COMPILE_AT = 2;

/**
 * Runs every operation, whichever door it came through: limits, validation, access, errors and
 * metrics are here and nowhere else. What is done per document is done once, within a bounded cache.
 */
export class Engine {
  private readonly cache: LRUCache<string, Prepared>;
  private readonly limitRules;

  constructor(
    readonly schema: GraphQLSchema,
    private readonly limits: Limits,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    this.limitRules = limitRules(limits);
    this.cache = new LRUCache({
      max: limits.GRAPHQL_CACHE,
      maxSize: CACHE_CHARACTERS,
      sizeCalculation: (_, text) => text.length,
    });
  }

  /**
   * Prepares an operation of a client.
   * @throws DocumentRefused with the mistakes: MALFORMED, or TOO_LARGE beyond a limit
   */
  prepare(text: string, operationName?: string | null): Prepared {
    const key = operationName ? `${operationName}\n${text}` : text;
    const known = this.cache.get(key);
    if (known) return known;
    const document = this.check(text);
    const operation = getOperationAST(document, operationName);
    if (!operation) {
      const message = operationName
        ? "The document has no operation of this name"
        : "Say which operation of the document to run (operationName)";
      throw new DocumentRefused([faultError(new Fault("MALFORMED", message))]);
    }
    const prepared = asPrepared(this.schema, document, operation);
    this.cache.set(key, prepared);
    return prepared;
  }

  /**
   * Prepares an operation of the project's own: no limits, no cache, compiled at once.
   * @throws Error on a mistake
   */
  prepareTrusted(text: string): Prepared {
    const document = parse(text);
    const [mistake] = validate(this.schema, document);
    if (mistake) throw mistake;
    const operation = getOperationAST(document);
    if (!operation) throw new Error("a document of the project's own holds one operation");
    const prepared = asPrepared(this.schema, document, operation);
    this.compile(prepared);
    return prepared;
  }

  /** Runs a query or a mutation. Every error in the result carries a Fault. */
  async run(
    prepared: Prepared,
    context: Context,
    variables: Record<string, unknown>,
    door: Door,
  ): Promise<ExecutionResult> {
    const end = this.metrics.operationSeconds.startTimer({ door });
    const answer = await this.answer(prepared, undefined, context, variables);
    end();
    this.count(prepared, answer, door);
    return answer;
  }

  /** Begins a subscription; a result in place of the iterable says why it did not begin. */
  async subscribe(
    prepared: Prepared,
    context: Context,
    variables: Record<string, unknown>,
    door: Door,
  ): Promise<Answer> {
    const source = await createSourceEventStream({
      schema: this.schema,
      document: prepared.document,
      operationName: prepared.operationName,
      variableValues: variables,
      contextValue: context,
      hideSuggestions: !this.limits.INTROSPECTION,
    });
    if (!(Symbol.asyncIterator in source)) {
      const answer = this.finish(source, context);
      this.count(prepared, answer, door);
      return answer;
    }
    this.count(prepared, {}, door);
    const events = source[Symbol.asyncIterator]();
    return answerEach(
      events,
      (event) => this.answer(prepared, event, context, variables),
      (error) => sourceError(error, this.log, context.caller.requestId),
    );
  }

  /** Runs an operation once, on an event where it is a subscription's. */
  private answer(
    prepared: Prepared,
    event: unknown,
    context: Context,
    variables: Record<string, unknown>,
  ): ExecutionResult | Promise<ExecutionResult> {
    const compiled = this.compiledFor(prepared);
    const result = compiled
      ? compiled.query(event, context, variables)
      : execute({
          schema: this.schema,
          document: prepared.document,
          operationName: prepared.operationName,
          rootValue: event,
          variableValues: variables,
          contextValue: context,
          hideSuggestions: !this.limits.INTROSPECTION,
        });
    return isPromise(result)
      ? result.then((settled) => this.finish(settled, context))
      : this.finish(result, context);
  }

  private check(text: string): DocumentNode {
    const { INTROSPECTION, GRAPHQL_MAX_TOKENS } = this.limits;
    const refuse = (errors: readonly GraphQLError[]) => {
      throw new DocumentRefused(errors.map(documentError));
    };
    // Near names would tell the schema bit by bit.
    const hideSuggestions = !INTROSPECTION;
    const document = this.parse(text, GRAPHQL_MAX_TOKENS);
    const excess = validate(this.schema, document, this.limitRules, { maxErrors: 1 });
    if (excess.length > 0) refuse(excess.slice(0, 1));
    const mistakes = validate(this.schema, document, specifiedRules, {
      maxErrors: MAX_ERRORS,
      hideSuggestions,
    });
    if (mistakes.length > 0) refuse(mistakes);
    return document;
  }

  private parse(text: string, maxTokens: number): DocumentNode {
    try {
      return parse(text, { maxTokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new DocumentRefused([faultError(syntaxFault(error.message), error)]);
    }
  }

  private compiledFor(prepared: Prepared): CompiledQuery | null {
    if (prepared.compiled === null && ++prepared.uses === COMPILE_AT) this.compile(prepared);
    return prepared.compiled;
  }

  private compile(prepared: Prepared): void {
    const { document, operation, operationName } = prepared;
    if (!isCompilable(this.schema, document, operation)) return;
    const compiled = compileQuery(this.schema, document, operationName, {
      disablingCapturingStackErrors: true,
    });
    if (isCompiledQuery(compiled)) prepared.compiled = compiled;
    else this.log.warn({ errors: compiled.errors }, "an operation could not be compiled");
  }

  private finish(result: ExecutionResult, context: Context): ExecutionResult {
    if (!result.errors) return result;
    const { requestId } = context.caller;
    return {
      ...result,
      errors: result.errors.map((error) => toGraphQLError(error, this.log, requestId)),
    };
  }

  private count(prepared: Prepared, answer: ExecutionResult, door: Door): void {
    const code = answer.errors ? String(answer.errors[0]?.extensions.code) : "OK";
    this.metrics.operations.inc({ door, operation: prepared.label, code });
  }
}

function asPrepared(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Prepared {
  const [first] = operation.selectionSet.selections;
  return {
    document,
    operation,
    operationName: operation.name?.value,
    label: first?.kind === Kind.FIELD ? first.name.value : "fragment",
    size: measureOperation(schema, document, operation),
    uses: 0,
    compiled: null,
  };
}
