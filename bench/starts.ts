import { type ServiceLocation, startService } from "./service";

/** The measurement of a start. */
export interface Start {
  name: string;
  /** Time from the start of the process until it was ready, in milliseconds. */
  readyMs: number;
  /** Resident memory of the idle service, in MiB. */
  rssMb: number;
  aim?: { readyMs: number; rssMb: number };
}

/** Idle time before the memory is read, in milliseconds. */
const IDLE_MS = 3_000;
/** Number of starts. */
const TIMES = 3;

/** Starts the service several times on the same data and reports the median of each figure. */
export async function measureStarts(
  name: string,
  place: ServiceLocation,
  aim?: Start["aim"],
  times = TIMES,
): Promise<Start> {
  const ready: number[] = [];
  const rss: number[] = [];
  for (let n = 0; n < times; n++) {
    const service = await startService(place);
    try {
      ready.push(service.readyMs);
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      rss.push(service.usage().rssMb);
    } finally {
      await service.stop();
    }
  }
  return { name, readyMs: median(ready), rssMb: median(rss), aim };
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}
