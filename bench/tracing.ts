import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector } from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace-node";

/** Loaded by a measured service: registers an SDK as docs/OBSERVABILITY.md does. */

const ratio = Number(process.env.OTEL_TRACES_SAMPLER_ARG);

new sdk.NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
  spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
}).register();
