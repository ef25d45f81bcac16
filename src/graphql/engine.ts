import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  parse,
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
import { faultError, sourceError, toGraphQLError } from "./error";
import { answerEach, isPromise } from "./events";
import type { Limits } from "./limits";
import { Compiler } from "./operation/compiler";
import { DocumentReader } from "./operation/document-reader";
import { VALUE_LEVELS } from "./operation/document-rules";
import { OpenSubscriptions } from "./operation/open-subscriptions";
import { countWork } from "./operation/operation-weight";
import { type Prepared, prepareOperation } from "./operation/prepared";

export { DocumentRefused } from "./operation/document-reader";
export type { Prepared } from "./operation/prepared";

/** A way in. */
export type Door = "graphql" | "websocket" | "rest";

/** What an operation answers: one result, or the results of a subscription one after the other. */
export type Answer = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Mistakes in variables are fewer: graphql prints the whole input into the message of each. */
const COERCION = { maxCoercionErrors: 4 };
/** Mistakes of one set of variables that are told at most, as graphql itself has it. */
const MAX_VARIABLE_ERRORS = 50;
/** Bytes that all prepared operations of clients may keep together, by estimate. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The events of a subscription, and what to call when they end. */
interface OpenSource {
  events: AsyncIterable<unknown>;
  ended: () => void;
}

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
  private readonly openSubscriptions = new OpenSubscriptions();
  private readonly reader: DocumentReader;

  constructor(
    readonly schema: GraphQLSchema,
    private readonly limits: Limits,
    private readonly log: Log,
    private readonly metrics: Metrics,
    clock: Clock = systemClock,
  ) {
    this.reader = new DocumentReader(schema, limits, log);
    this.compiler = new Compiler(schema, clock, log);
    this.cache = new LRUCache({
      max: limits.GRAPHQL_CACHE,
      maxSize: CACHE_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
      // An open subscription may hold the operation longer, by what it keeps without its compiled form.
      dispose: (prepared, _key, reason) => {
        if (reason === "evict") this.compiler.discard(prepared);
      },
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
    const prepared = this.reader.read(text, name);
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
    const end = this.metrics.operationSeconds.startTimer({ protocol: door });
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
    if (!("events" in source)) {
      this.count(prepared, source, door);
      return source;
    }
    this.count(prepared, {}, door);
    return answerEach(
      source.events[Symbol.asyncIterator](),
      (event) => this.answer(prepared, event, context, variables),
      (error) => sourceError(error, this.log, context.caller.requestId),
      source.ended,
    );
  }

  /** The events of a subscription, or why there are none. */
  private async open(
    prepared: Prepared,
    context: Context,
    variables: Record<string, unknown>,
  ): Promise<OpenSource | ExecutionResult> {
    if (nestsDeeper(variables, VALUE_LEVELS)) return TOO_DEEP;
    const limited = countWork(prepared, context);
    if (limited) return limited;
    let ended: (() => void) | undefined;
    try {
      ended = this.openSubscriptions.open(prepared, variables, context.caller.ip);
      const source = await createSourceEventStream({
        schema: this.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: variables,
        contextValue: context,
        hideSuggestions: !this.limits.INTROSPECTION,
        options: COERCION,
      });
      if (Symbol.asyncIterator in source) return { events: source, ended };
      ended();
      return this.finish(source, context);
    } catch (error) {
      ended?.();
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
    this.metrics.operations.inc({ protocol: door, operation: prepared.label, code });
  }
}
