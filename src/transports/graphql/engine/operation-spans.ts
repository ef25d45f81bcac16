import type { ExecutionResult } from "graphql";
import { failSpan, inServerSpan, inSpanOf, isTraced, isTracingOn } from "../../../core/tracing";
import type { Context } from "./context";
import type { PreparedOperation } from "./prepared";

/** Whether an operation may have a span: on a socket it begins a trace, and over HTTP its request does. */
export function hasSpan({ caller }: Context): boolean {
  return caller.protocol === "websocket" ? isTracingOn() : isTraced();
}

/**
 * Runs an operation in its span, see {@link hasSpan} (OpenTelemetry semantic conventions "GraphQL server"). The span fails
 * with the code of the first error.
 */
export function inOperationSpan<Result extends ExecutionResult | AsyncIterable<ExecutionResult>>(
  prepared: PreparedOperation,
  { caller }: Context,
  run: () => Promise<Result>,
): Promise<Result> {
  return inServerSpan(nameOf(prepared), attributesOf(prepared), caller.trace, async (span) => {
    const result = await run();
    const code = "errors" in result ? result.errors?.[0]?.extensions.code : undefined;
    if (code !== undefined) failSpan(span, String(code));
    return result;
  });
}

/** Runs a subscription for an event that is bound to a trace. */
export function inEventSpan<Result>(
  prepared: PreparedOperation,
  event: object,
  run: () => Result,
): Result {
  return inSpanOf(event, nameOf(prepared), "server", attributesOf(prepared), run);
}

/** A client chooses the name of its operation, but not this one. */
const nameOf = ({ operation, label }: PreparedOperation) => `${operation.operation} ${label}`;

const attributesOf = ({ operation, label }: PreparedOperation) => ({
  "graphql.operation.type": operation.operation,
  "graphql.operation.name": label,
});
