import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The share of traces that measured services record, from 0 to 1; they have no SDK without it. */
const { BENCH_TRACING: RATIO } = process.env;

let url: Promise<string> | undefined;

/** The variables with which a measured service is traced by tracing.ts; none without BENCH_TRACING. */
export async function tracingVariables(): Promise<Record<string, string>> {
  if (RATIO === undefined) return {};
  url ??= startSink();
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, "tracing.js"))}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: await url,
    OTEL_TRACES_SAMPLER_ARG: RATIO,
  };
}

/** Starts a receiver of traces that discards them. It ends with the process. @returns its address */
async function startSink(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
