import { isPromise } from "node:util/types";
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ERRORS, Fault } from "./errors";
import { packageVersion } from "./package-root";

/**
 * Traces of OpenTelemetry (docs/OBSERVABILITY.md). This is the only module that uses its API. Without an SDK, which the
 * operator loads before the service, none of its functions allocates anything.
 */

/** The part of a span in an exchange, as OpenTelemetry defines it. */
export type Kind = "internal" | "server" | "client" | "producer" | "consumer";

/** Where a client's request names its span (W3C Trace Context), unchecked. */
export interface TraceHeaders {
  traceparent?: unknown;
  tracestate?: unknown;
}

/** The span that something runs in; undefined outside of a sampled trace. */
export type ActiveSpan = Span | undefined;

const KINDS: Readonly<Record<Kind, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Version, trace-id, parent-id and flags; a later version may append fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
/** Length of a traceparent of version 00, in characters. */
const TRACEPARENT_LENGTH = 55;
/** Maximum length of a traceparent of a later version, in characters. */
const TRACEPARENT_MAX = 256;
/** Maximum length of a tracestate, in characters; a longer one is dropped. */
const TRACESTATE_MAX = 512;

/** Null without an SDK. */
let tracer: Tracer | null = null;
/** The spans in which values were made that another task processes. */
const spansOfValues = new WeakMap<object, Context>();

/**
 * Looks whether an SDK of OpenTelemetry is registered, once one is; called at the start. An SDK that is registered later
 * has no effect.
 */
export function openTracing(): void {
  // The API has no other way to ask: without an SDK, its spans have no trace.
  const probe = trace.getTracer("signalbox", packageVersion());
  const span = probe.startSpan("start", undefined, ROOT_CONTEXT);
  tracer = trace.isSpanContextValid(span.spanContext()) ? probe : null;
}

/** Whether an SDK is registered. */
export const isTracingOn = (): boolean => tracer !== null;

/** Whether the caller runs in a sampled trace. Where nothing may be allocated, it is asked before {@link inSpan}. */
export function isTraced(): boolean {
  return tracer !== null && isLive(trace.getSpan(context.active()));
}

/** Whether spans and messages continue this span: it is being recorded, or it is the sampled span of another process. */
function isLive(span: Span | undefined): span is Span {
  if (span === undefined) return false;
  if (span.isRecording()) return true;
  const { isRemote, traceFlags } = span.spanContext();
  return isRemote === true && (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/**
 * Runs `act` in a span of the current trace, or without one if there is no sampled trace. The span ends when `act` has
 * ended, and fails if it throws.
 * @param attributes neither secrets nor texts of users
 */
export function inSpan<T>(
  name: string,
  kind: Kind,
  attributes: Attributes,
  act: (span: ActiveSpan) => T,
): T {
  if (!isTraced()) return act(undefined);
  return runIn(start(name, kind, attributes, context.active()), act);
}

/**
 * Runs `act` in the span of a request, if its trace is sampled: that of the client's headers, else the current one, else
 * one of its own.
 * @param headers the client's; none for protocols without them
 */
export function inServerSpan<T>(
  name: string,
  attributes: Attributes,
  headers: TraceHeaders | undefined,
  act: (span: ActiveSpan) => T,
): T {
  const opened = openServerSpan(name, attributes, headers);
  return opened === undefined ? act(undefined) : runIn(opened, act);
}

/** A span that its owner ends, and the context for what runs in it. */
export interface OpenSpan {
  span: Span;
  scope: Context;
}

/** As {@link inServerSpan}, for a caller that ends the span itself. @returns undefined if the trace is not sampled */
export function openServerSpan(
  name: string,
  attributes: Attributes,
  headers: TraceHeaders | undefined,
): OpenSpan | undefined {
  if (tracer === null) return undefined;
  const parent = parentOf(headers) ?? (isTraced() ? context.active() : ROOT_CONTEXT);
  return sampled(start(name, "server", attributes, parent));
}

/** Runs `act` in an open span, which stays open. */
export function inOpenSpan<T>({ scope }: OpenSpan, act: () => T): T {
  return context.with(scope, act);
}

/**
 * Runs `act` in the span of a received message or job.
 * @param carried the {@link carriedTrace} of the sender; a trace of its own if omitted
 */
export function inConsumerSpan<T>(
  name: string,
  attributes: Attributes,
  carried: string | undefined,
  act: (span: ActiveSpan) => T,
): T {
  if (tracer === null) return act(undefined);
  const opened = sampled(start(name, "consumer", attributes, read(carried) ?? ROOT_CONTEXT));
  return opened === undefined ? act(undefined) : runIn(opened, act);
}

/**
 * The current span as text, to be stored in a message: its traceparent and, after a blank, its tracestate if it has one.
 * Undefined if the trace is not sampled, so that messages stay as they are without traces.
 */
export function carriedTrace(): string | undefined {
  if (tracer === null) return undefined;
  const span = trace.getSpan(context.active());
  if (!isLive(span)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const state = traceState?.serialize() ?? "";
  const parent = `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`;
  return state === "" || state.length > TRACESTATE_MAX ? parent : `${parent} ${state}`;
}

/** Runs `act`, which continues the trace of a message. @param carried see {@link carriedTrace} */
export function withCarriedTrace<T>(carried: string | undefined, act: () => T): T {
  const parent = tracer === null ? undefined : read(carried);
  return parent === undefined ? act() : context.with(parent, act);
}

/** Runs `act`, which is no part of the current trace: it works for others too. */
export function outsideTrace<T>(act: () => T): T {
  return isTraced() ? context.with(ROOT_CONTEXT, act) : act();
}

/** Makes what another task does with a value part of the current trace, see {@link inSpanOf}. */
export function bindToTrace(value: unknown): void {
  if (tracer === null || typeof value !== "object" || value === null || !isTraced()) return;
  spansOfValues.set(value, context.active());
}

/** Whether {@link inSpanOf} has a span for a value. */
export function isBoundToTrace(value: unknown): value is object {
  if (tracer === null || typeof value !== "object" || value === null) return false;
  return spansOfValues.has(value);
}

/** Runs `act` in a span below the one in which a value was bound; without a span if it was in none. */
export function inSpanOf<T>(
  value: object,
  name: string,
  kind: Kind,
  attributes: Attributes,
  act: (span: ActiveSpan) => T,
): T {
  const parent = spansOfValues.get(value);
  return parent === undefined ? act(undefined) : runIn(start(name, kind, attributes, parent), act);
}

/**
 * Marks a span as failed. Messages of errors are not recorded, because they may repeat texts of users.
 * @param error an error, or a code of {@link ERRORS}
 */
export function failSpan(span: ActiveSpan, error: unknown): void {
  if (span === undefined) return;
  const type = errorType(error);
  span.setAttribute("error.type", type);
  const http = Object.hasOwn(ERRORS, type) ? ERRORS[type as keyof typeof ERRORS].http : 500;
  // What a client did wrong is no failure of the service.
  if (http >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The ids of the current span for a line of the log; nothing if it is not recorded. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const span = tracer === null ? undefined : trace.getSpan(context.active());
  if (!span?.isRecording()) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}

/** Sends the spans that have ended, before the process exits; does nothing without an SDK. */
export async function flushTraces(): Promise<void> {
  if (tracer === null) return;
  // The API's types omit that it returns a proxy, and that every SDK can flush (specification "ForceFlush").
  const proxy = trace.getTracerProvider() as FlushingProvider & {
    getDelegate?(): FlushingProvider;
  };
  await (proxy.getDelegate?.() ?? proxy).forceFlush?.();
}

interface FlushingProvider {
  forceFlush?(): Promise<void>;
}

function start(name: string, kind: Kind, attributes: Attributes, parent: Context): OpenSpan {
  const span = (tracer as Tracer).startSpan(name, { kind: KINDS[kind], attributes }, parent);
  return { span, scope: trace.setSpan(parent, span) };
}

/** Undefined for a span that is not recorded: nothing runs in its context then, which would cost as much as one that is. */
function sampled(opened: OpenSpan): OpenSpan | undefined {
  return opened.span.isRecording() ? opened : undefined;
}

function runIn<T>(opened: OpenSpan, act: (span: Span) => T): T {
  const { span } = opened;
  const failed = (error: unknown): never => {
    failSpan(span, error);
    span.end();
    throw error;
  };
  try {
    const result = inOpenSpan(opened, () => act(span));
    if (isPromise(result)) {
      return result.then((value) => {
        span.end();
        return value;
      }, failed) as T;
    }
    span.end();
    return result;
  } catch (error) {
    return failed(error);
  }
}

function errorType(error: unknown): string {
  if (error instanceof Fault) return error.code;
  if (typeof error === "string") return error;
  return error instanceof Error ? error.constructor.name : "Error";
}

function read(carried: string | undefined): Context | undefined {
  if (carried === undefined) return undefined;
  const end = carried.indexOf(" ");
  if (end < 0) return parentOf({ traceparent: carried });
  return parentOf({ traceparent: carried.slice(0, end), tracestate: carried.slice(end + 1) });
}

/** The context of headers; undefined without a valid traceparent, as W3C Trace Context section 3.2 asks. */
function parentOf(headers: TraceHeaders | undefined): Context | undefined {
  const { traceparent, tracestate } = headers ?? {};
  if (typeof traceparent !== "string" || traceparent.length > TRACEPARENT_MAX) return undefined;
  const [start, version, traceId = "", spanId = "", flags = ""] =
    TRACEPARENT.exec(traceparent) ?? [];
  if (start === undefined || version === "ff") return undefined;
  if (version === "00" && traceparent.length !== TRACEPARENT_LENGTH) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const hasState = typeof tracestate === "string" && tracestate.length <= TRACESTATE_MAX;
  const parent = {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(hasState && tracestate !== "" && { traceState: createTraceState(tracestate) }),
  };
  if (!trace.isSpanContextValid(parent)) return undefined;
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}
