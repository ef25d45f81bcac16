import { join } from "node:path";
import { findProgram, freePort, run, Server } from "./binaries";

/** A series of an answer of Prometheus to a query. */
export interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}

/** A temporary Prometheus server. */
export interface PrometheusServer {
  /** Asks its HTTP API v1. @throws Error with the reason if it refuses */
  ask<T>(path: string, parameters?: Record<string, string>): Promise<T>;
  /** Evaluates an expression now. */
  query(expression: string): Promise<Sample[]>;
  stop(): Promise<void>;
}

/**
 * Starts Prometheus on a free port of the loopback address.
 * @param folder for its data, and with its configuration, prometheus.yml
 */
export async function startPrometheus(folder: string): Promise<PrometheusServer> {
  const port = await freePort();
  const server = Server.start(findProgram("prometheus", "prometheus"), [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const ask = async <T>(path: string, parameters: Record<string, string> = {}): Promise<T> => {
    const url = new URL(`http://127.0.0.1:${port}/api/v1/${path}`);
    url.search = new URLSearchParams(parameters).toString();
    const answer = (await (await fetch(url)).json()) as { data: T; error?: string };
    if (answer.error !== undefined) throw new Error(`${url.search}: ${answer.error}`);
    return answer.data;
  };
  try {
    await server.ready(async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/-/ready`);
      if (!ok) throw new Error("it is not ready");
    });
  } catch (error) {
    await server.stop("SIGTERM");
    throw error;
  }
  return {
    ask,
    query: async (query) => (await ask<{ result: Sample[] }>("query", { query })).result,
    stop: () => server.stop("SIGTERM"),
  };
}

/** Runs promtool, the program that comes with Prometheus. Rejects with its output if it fails. @returns its output */
export async function promtool(...args: string[]): Promise<string> {
  return (await run(findProgram("promtool", "prometheus"), args)).stdout;
}
