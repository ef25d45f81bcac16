import type { Driver } from "./driver-process";
import type { LoadResult } from "./load-result";
import type { Scenario } from "./scenarios";
import type { Service } from "./service";

/** Lengths of the windows, in seconds. */
export interface Windows {
  warmUp: number;
  measured: number;
}

/** The measured figures of a scenario. */
export interface Measurement {
  scenario: Scenario;
  /** Requests or deliveries per second, with one driver. */
  perSecond: number;
  p50: number;
  p99: number;
  /** Server CPU time per request or delivery, in microseconds. */
  cpuMicros: number;
  /** Resident memory of the server at the end of the window. */
  rssMb: number;
}

/** The throughput of one fully used core, per second. */
export function perCore({ cpuMicros }: Measurement): number {
  return 1e6 / cpuMicros;
}

/** Runs a scenario against a server, first as a warm-up and then measured. */
export async function measure(
  driver: Driver,
  server: Service,
  scenario: Scenario,
  { warmUp, measured }: Windows,
): Promise<Measurement> {
  await driver.run(scenario.job(server.baseUrl, warmUp));
  const before = server.usage();
  const outcome = await driver.run(scenario.job(server.baseUrl, measured));
  const after = server.usage();
  const timed: LoadResult = scenario.paced
    ? await driver.run(scenario.paced(server.baseUrl, measured))
    : outcome;
  return {
    scenario,
    perSecond: outcome.count / outcome.seconds,
    p50: timed.p50,
    p99: timed.p99,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / outcome.count,
    rssMb: after.rssMb,
  };
}
