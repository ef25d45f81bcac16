import { carriedTrace } from "../../core/tracing";

/** The attributes of a span about the jobs of a name (OpenTelemetry semantic conventions "Messaging"). */
export const jobAttributes = (name: string, operation: "send" | "process") => ({
  "messaging.system": "pg-boss",
  "messaging.destination.name": name,
  "messaging.operation.name": operation,
  "messaging.operation.type": operation,
});

/** The data of a job as it is stored: with the current trace if that is sampled, otherwise unchanged. */
export function withTrace(data: object): object {
  const trace = carriedTrace();
  return trace === undefined ? data : { ...data, trace };
}

/** The trace of what has enqueued a job, and the data for its handler. */
export function readTrace(stored: object): { trace: string | undefined; own: object } {
  const { trace, ...own } = stored as { trace?: string };
  return { trace, own };
}
