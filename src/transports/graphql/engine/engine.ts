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
import { type Clock, systemClock } from "../../../core/clock";
import { Fault } from "../../../core/errors";
import { exceedsDepth } from "../../../core/json";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { ApplicationCounters } from "../../../core/statistics/application-counters";
import { isBoundToTrace } from "../../../core/tracing";
import { Compiler } from "./compiler";
import type { Context } from "./context";
import { DocumentReader } from "./document-reader";
import { VALUE_LEVELS } from "./document-rules";
import { faultError, operationError, toGraphQLError } from "./error";
import type { DocumentLimits } from "./limits";
import { mapAsyncIterator } from "./map-async-iterator";
import { hasSpan, inEventSpan, inOperationSpan } from "./operation-spans";
import { chargeOperation } from "./operation-weight";
import { type PreparedOperation, prepareOperation } from "./prepared";
import { OpenSubscriptions } from "./subscription-memory";

/** The protocol over which an operation arrives. */
export type Protocol = "graphql" | "websocket" | "rest";

/** The result of a query or mutation, or the results of a subscription. */
export type OperationResult = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Fewer coercion errors than graphql's default: each message contains the whole input. */
const COERCION = { maxCoercionErrors: 4 };
/** Maximum number of reported errors in variables; graphql's own default. */
const MAX_VARIABLE_ERRORS = 50;
/** Estimated memory that all cached operations of clients may use, in bytes. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The events of a subscription, and the callback for their end. */
interface OpenSource {
  events: AsyncIterable<unknown>;
  ended: () => void;
}

/** Result of a request whose variables are nested too deeply. */
const TOO_DEEP: ExecutionResult = {
  errors: [faultError(new Fault("INVALID", "The variables are nested too deeply"))],
};

/**
 * Runs the operations of every protocol. Limits, validation, access, errors and metrics are applied here
 * only. Documents are prepared once and cached, within bounds.
 */
export class Engine {
  private readonly cache: LRUCache<string, PreparedOperation>;
  /** Cache keys of the operations. */
  private readonly keys = new WeakMap<PreparedOperation, string>();
  private readonly compiler: Compiler;
  private readonly openSubscriptions = new OpenSubscriptions();
  private readonly reader: DocumentReader;

  /** @param schema the published schema, for the operations of clients */
  constructor(
    readonly schema: GraphQLSchema,
    private readonly limits: DocumentLimits,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly counters: ApplicationCounters = new ApplicationCounters(systemClock),
    clock: Clock = systemClock,
  ) {
    this.reader = new DocumentReader(schema, limits, log);
    this.compiler = new Compiler(clock, log);
    this.cache = new LRUCache({
      max: limits.GRAPHQL_CACHE,
      maxSize: CACHE_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
      // An open subscription may retain the operation, but not its compiled form.
      dispose: (prepared, _key, reason) => {
        if (reason === "evict") this.compiler.discard(prepared);
      },
    });
  }

  /**
   * Prepares an operation of a client.
   * @param operationName the operation to run; an empty string counts as absent (GraphQL over HTTP
   * specification, "Request Parameters")
   * @throws DocumentRefused (and nothing else) with the errors: MALFORMED, or TOO_LARGE beyond a limit
   */
  prepare(text: string, operationName?: string | null): PreparedOperation {
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
   * Prepares an operation of Signalbox itself: without limits or cache, compiled immediately.
   * @param schema the schema that it runs on
   * @throws Error if the document is invalid
   */
  prepareTrusted(text: string, schema: GraphQLSchema): PreparedOperation {
    const document = parse(text);
    const [error] = validate(schema, document);
    if (error) throw error;
    const operation = getOperationAST(document);
    if (!operation) throw new Error("a trusted document must contain exactly one operation");
    const prepared = prepareOperation(schema, document, operation);
    // The client does not choose its size.
    prepared.weight = 1;
    this.compiler.compile(prepared);
    return prepared;
  }

  /** Runs a query or mutation. Every error in the result has a Fault as `originalError`. Never throws. */
  run(
    prepared: PreparedOperation,
    context: Context,
    variables: Record<string, unknown>,
    protocol: Protocol,
  ): Promise<ExecutionResult> {
    if (!hasSpan(context)) return this.runMeasured(prepared, context, variables, protocol);
    return inOperationSpan(prepared, context, () =>
      this.runMeasured(prepared, context, variables, protocol),
    );
  }

  private async runMeasured(
    prepared: PreparedOperation,
    context: Context,
    variables: Record<string, unknown>,
    protocol: Protocol,
  ): Promise<ExecutionResult> {
    const end = this.metrics.operationSeconds.startTimer({ protocol });
    const result = exceedsDepth(variables, VALUE_LEVELS)
      ? TOO_DEEP
      : (chargeOperation(prepared, context) ??
        (await this.execute(prepared, undefined, context, variables)));
    end();
    this.count(prepared, result, protocol, context);
    return result;
  }

  /** Starts a subscription. Returns a single result with errors if it cannot start. Never throws. */
  subscribe(
    prepared: PreparedOperation,
    context: Context,
    variables: Record<string, unknown>,
    protocol: Protocol,
  ): Promise<OperationResult> {
    if (!hasSpan(context)) return this.openResults(prepared, context, variables, protocol);
    return inOperationSpan(prepared, context, () =>
      this.openResults(prepared, context, variables, protocol),
    );
  }

  private async openResults(
    prepared: PreparedOperation,
    context: Context,
    variables: Record<string, unknown>,
    protocol: Protocol,
  ): Promise<OperationResult> {
    const source = await this.open(prepared, context, variables);
    if (!("events" in source)) {
      this.count(prepared, source, protocol, context);
      return source;
    }
    this.count(prepared, {}, protocol, context);
    return mapAsyncIterator(
      source.events[Symbol.asyncIterator](),
      (event) =>
        isBoundToTrace(event)
          ? inEventSpan(prepared, event, () => this.execute(prepared, event, context, variables))
          : this.execute(prepared, event, context, variables),
      (error) => operationError(error, this.log, context.caller.requestId),
      source.ended,
    );
  }

  /** Opens the event source of a subscription, or returns the errors. */
  private async open(
    prepared: PreparedOperation,
    context: Context,
    variables: Record<string, unknown>,
  ): Promise<OpenSource | ExecutionResult> {
    if (exceedsDepth(variables, VALUE_LEVELS)) return TOO_DEEP;
    const limited = chargeOperation(prepared, context);
    if (limited) return limited;
    let ended: (() => void) | undefined;
    try {
      ended = this.openSubscriptions.open(prepared, variables, context.caller.ip);
      const source = await createSourceEventStream({
        schema: prepared.schema,
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

  /**
   * Executes an operation once. Never throws.
   * @param event root value of a subscription's operation
   */
  private execute(
    prepared: PreparedOperation,
    event: unknown,
    context: Context,
    variables: Record<string, unknown>,
  ): ExecutionResult | Promise<ExecutionResult> {
    const fail = (error: unknown) => this.failed(error, context);
    try {
      const compiled = this.compiledFor(prepared);
      let result = compiled?.query(event, context, variables);
      // graphql-jit does not say what is wrong with variables; graphql does. REST keeps its texts.
      if (!result || (areVariablesRefused(result) && this.keys.has(prepared))) {
        result = execute({
          schema: prepared.schema,
          document: prepared.document,
          operationName: prepared.operationName,
          rootValue: event,
          variableValues: variables,
          contextValue: context,
          hideSuggestions: !this.limits.INTROSPECTION,
          options: COERCION,
        });
      }
      return result instanceof Promise
        ? result.then((settled) => this.finish(settled, context), fail)
        : this.finish(result, context);
    } catch (error) {
      return fail(error);
    }
  }

  /** Compiles cached operations only, so that the cache bounds the memory of compiled code. */
  private compiledFor(prepared: PreparedOperation): CompiledQuery | null {
    if (prepared.compiled) return prepared.compiled;
    const key = this.keys.get(prepared);
    if (key === undefined || this.cache.peek(key) !== prepared) return null;
    if (this.compiler.use(prepared)) {
      // Reinserted, because the cache computes an entry's size on insertion.
      this.cache.delete(key);
      this.cache.set(key, prepared);
    }
    return prepared.compiled;
  }

  private finish(result: ExecutionResult, context: Context): ExecutionResult {
    if (!result.errors) return result;
    const { requestId } = context.caller;
    // Errors without a path are about the variables. Compiled operations report all of them, unlimited.
    const reported = result.errors[0]?.path
      ? result.errors
      : result.errors.slice(0, MAX_VARIABLE_ERRORS);
    const errors = reported.map((error) => toGraphQLError(error, this.log, requestId));
    return { ...result, errors };
  }

  /** The result for a thrown error. */
  private failed(error: unknown, context: Context): ExecutionResult {
    return { errors: [operationError(error, this.log, context.caller.requestId)] };
  }

  private count(
    prepared: PreparedOperation,
    result: ExecutionResult,
    protocol: Protocol,
    { auth }: Context,
  ): void {
    const code = result.errors ? String(result.errors[0]?.extensions.code) : "OK";
    this.metrics.operations.inc({ protocol, operation: prepared.label, code });
    const application = auth.notedApplication;
    if (application === null) return;
    this.counters.count(application, "requests");
    if (code !== "OK") this.counters.countError(application, code);
  }
}

/** Whether a compiled operation did not run because its variables do not fit their types. */
function areVariablesRefused(result: ExecutionResult | Promise<ExecutionResult>): boolean {
  return !(result instanceof Promise) && result.errors !== undefined && result.data === undefined;
}
