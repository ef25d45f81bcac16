import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { eventually } from "../moving-clock";

/** Kinds of spans by their numbers in OTLP. */
const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** A span as a node has exported it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: string;
  attributes: Record<string, unknown>;
  failed: boolean;
  /** `service.name` of the process. */
  service: unknown;
}

/** Receives traces by OTLP over HTTP in the form of JSON. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: ReceivedSpan[];
  /** Everything received, as sent. */
  received(): string;
  /** Waits for the spans of a trace until they are as wanted. */
  traceOf(traceId: string, wanted: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]>;
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface ExportRequest {
  resourceSpans: Array<{
    resource: { attributes: Attribute[] };
    scopeSpans: Array<{
      spans: Array<{
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        attributes: Attribute[];
        status: { code?: number };
      }>;
    }>;
  }>;
}

const toObject = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a receiver on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const take = (body: string) => {
    bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
      const service = toObject(resource.attributes)["service.name"];
      for (const span of scopeSpans.flatMap((each) => each.spans)) {
        spans.push({
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? "",
          name: span.name,
          kind: KINDS[span.kind] ?? "",
          attributes: toObject(span.attributes),
          failed: span.status.code === 2,
          service,
        });
      }
    }
  };
  const server = createServer(async (request, response) => {
    take(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    received: () => bodies.join("\n"),
    traceOf: (id, wanted) =>
      eventually(() => spans.filter(({ traceId }) => traceId === id), wanted),
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
