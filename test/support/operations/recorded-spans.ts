import { context, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";

/** The spans that an SDK in this process has recorded. */
export interface RecordedSpans {
  /** Takes the spans that have ended, in the order of their ends. */
  take(): ReadableSpan[];
  close(): Promise<void>;
}

/** Registers an SDK that records a share of the traces. */
export function recordSpans(ratio = 1): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  provider.register();
  return {
    take() {
      const spans = exporter.getFinishedSpans();
      exporter.reset();
      return spans;
    },
    async close() {
      await provider.shutdown();
      trace.disable();
      context.disable();
    },
  };
}
