import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import type { CompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import { type Clock, systemClock } from "../core/clock";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import { nestsDeeper } from "../core/nesting";
import type { Context } from "./context";
import { documentError, faultError, sourceError, syntaxFault, toGraphQLError } from "./error";
import { answerEach, isPromise } from "./events";
import { type Limits, limitRules } from "./limits";
import { Compiler } from "./operation/compiler";
import { VALUE_LEVELS } from "./operation/document-rules";
import { countWork } from "./operation/operation-weight";
import { type Prepared, prepareOperation } from "./operation/prepared";

export type { Prepared } from "./operation/prepared";

/** A way in. */
export type Door = "graphql" | "websocket" | "rest";

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
/** Mistakes in variables are fewer: graphql prints the whole input into the message of each. */
const COERCION = { maxCoercionErrors: 4 };
/** Mistakes of one set of variables that are told at most, as graphql itself has it. */
const MAX_VARIABLE_ERRORS = 50;
/** Bytes that all prepared operations of clients may keep together, by estimate. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** What a request with variables that nobody reads is answered. */
const TOO_DEEP: ExecutionResult = {
  errors: [faultError(new Fault("INVALID", "The variables are nested too deeply"))],
};

/**
 * Runs every operation, whichever door it came through: limits, validation, access, errors and
 * metrics are here and nowhere else. What is done per document is done once, within a bounded cache.
 */
export class Engine {
  private readonly cache: LRUCache<string, Prepared>;
  /** Where operations are in the cache. */
  private readonly keys = new WeakMap<Prepared, string>();
  private readonly compiler: Compiler;
  private readonly limitRules;

  constructor(
    readonly schema: GraphQLSchema,
    private readonly limits: Limits,
    private readonly log: Log,
    private readonly metrics: Metrics,
    clock: Clock = systemClock,
  ) {
    this.limitRules = limitRules(limits);
    this.compiler = new Compiler(schema, clock, log);
    this.cache = new LRUCache({
      max: limits.GRAPHQL_CACHE,
      maxSize: CACHE_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /**
   * Prepares an operation of a client.
   * @param operationName of the operation to run; empty text names none (GraphQL over HTTP
   * specification, "Request Parameters")
   * @throws DocumentRefused with the mistakes, and nothing else: MALFORMED, or TOO_LARGE beyond a limit
   */
  prepare(text: string, operationName?: string | null): Prepared {
    const name = operationName || undefined;
    const key = `${name ?? ""}\n${text}`;
    const known = this.cache.get(key);
    if (known) return known;
    const prepared = this.read(text, name);
    this.keys.set(prepared, key);
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
    const prepared = prepareOperation(this.schema, document, operation);
    // How much it asks for is not the client's doing.
    prepared.weight = 1;
    this.compiler.compile(prepared);
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
    const answer = nestsDeeper(variables, VALUE_LEVELS)
      ? TOO_DEEP
      : (countWork(prepared, context) ??
        (await this.answer(prepared, undefined, context, variables)));
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
    const source = await this.open(prepared, context, variables);
    if (!(Symbol.asyncIterator in source)) {
      this.count(prepared, source, door);
      return source;
    }
    this.count(prepared, {}, door);
    const events = source[Symbol.asyncIterator]();
    return answerEach(
      events,
      (event) => this.answer(prepared, event, context, variables),
      (error) => sourceError(error, this.log, context.caller.requestId),
    );
  }

  /** The events of a subscription, or why there are none. */
  private async open(
    prepared: Prepared,
    context: Context,
    variables: Record<string, unknown>,
  ): Promise<AsyncIterable<unknown> | ExecutionResult> {
    if (nestsDeeper(variables, VALUE_LEVELS)) return TOO_DEEP;
    const limited = countWork(prepared, context);
    if (limited) return limited;
    try {
      const source = await createSourceEventStream({
        schema: this.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: variables,
        contextValue: context,
        hideSuggestions: !this.limits.INTROSPECTION,
        options: COERCION,
      });
      return Symbol.asyncIterator in source ? source : this.finish(source, context);
    } catch (error) {
      return this.failed(error, context);
    }
  }

  /** Runs an operation once, on an event where it is a subscription's. It never throws. */
  private answer(
    prepared: Prepared,
    event: unknown,
    context: Context,
    variables: Record<string, unknown>,
  ): ExecutionResult | Promise<ExecutionResult> {
    const fail = (error: unknown) => this.failed(error, context);
    try {
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
            options: COERCION,
          });
      return isPromise(result)
        ? result.then((settled) => this.finish(settled, context), fail)
        : this.finish(result, context);
    } catch (error) {
      return fail(error);
    }
  }

  /** @throws DocumentRefused, and nothing else, whatever a document does to those who read it */
  private read(text: string, name: string | undefined): Prepared {
    try {
      const document = this.check(text);
      const operation = getOperationAST(document, name);
      if (operation) return prepareOperation(this.schema, document, operation);
    } catch (error) {
      if (error instanceof DocumentRefused) throw error;
      // They recurse as deep as a document nests, and through as many fragments as spread each other.
      const fault =
        error instanceof RangeError
          ? new Fault("TOO_LARGE", "The document nests too deeply")
          : new Fault("MALFORMED", "The document is not valid");
      this.log.info({ err: error }, "a document could not be read");
      throw new DocumentRefused([faultError(fault)]);
    }
    const message = name
      ? "The document has no operation of this name"
      : "Say which operation of the document to run (operationName)";
    throw new DocumentRefused([faultError(new Fault("MALFORMED", message))]);
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

  /** What is compiled here is in the cache, which bounds what it keeps. */
  private compiledFor(prepared: Prepared): CompiledQuery | null {
    if (prepared.compiled) return prepared.compiled;
    const key = this.keys.get(prepared);
    if (key === undefined || this.cache.peek(key) !== prepared) return null;
    if (this.compiler.use(prepared)) {
      // The cache asks for its size when it is put in.
      this.cache.delete(key);
      this.cache.set(key, prepared);
    }
    return prepared.compiled;
  }

  private finish(result: ExecutionResult, context: Context): ExecutionResult {
    if (!result.errors) return result;
    const { requestId } = context.caller;
    // Without a path nothing has run: each is about the variables, of which compiled code tells all.
    const told = result.errors[0]?.path
      ? result.errors
      : result.errors.slice(0, MAX_VARIABLE_ERRORS);
    return { ...result, errors: told.map((error) => toGraphQLError(error, this.log, requestId)) };
  }

  /** The answer in place of something that was thrown. */
  private failed(error: unknown, context: Context): ExecutionResult {
    return { errors: [sourceError(error, this.log, context.caller.requestId)] };
  }

  private count(prepared: Prepared, answer: ExecutionResult, door: Door): void {
    const code = answer.errors ? String(answer.errors[0]?.extensions.code) : "OK";
    this.metrics.operations.inc({ door, operation: prepared.label, code });
  }
}
