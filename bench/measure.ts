import type { Outcome } from "./driver";
import type { Driver } from "./driver-process";
import type { Scenario } from "./scenarios";
import type { Service } from "./service";

/** Lengths of the windows, in seconds. */
export interface Windows {
  warmUp: number;
  measured: number;
}

/** What was measured of a scenario. */
export interface Measurement {
  scenario: Scenario;
  /** Requests or deliveries a second, with one driver. */
  perSecond: number;
  p50: number;
  p99: number;
  /** Microseconds of the server's CPU for each. */
  cpuMicros: number;
  /** Resident memory of the server at the end of the window. */
  rssMb: number;
}

/** What one core carries a second when it does nothing else. */
export function perCore({ cpuMicros }: Measurement): number {
  return 1e6 / cpuMicros;
}

/** Warms a server up with a scenario, then measures a window of it. */
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
  const timed: Outcome = scenario.paced
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
