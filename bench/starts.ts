import { type Place, startService } from "./service";

/** How a service started. */
export interface Start {
  name: string;
  /** Milliseconds from the start of the process until it was ready. */
  readyMs: number;
  /** Resident memory once it had nothing to do. */
  rssMb: number;
  aim?: { readyMs: number; rssMb: number };
}

/** Milliseconds without a request before memory is read. */
const IDLE_MS = 3_000;
/** Starts of which the median counts. */
const TIMES = 3;

/** Starts the service several times on data that is there; the median of each figure counts. */
export async function measureStarts(
  name: string,
  place: Place,
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
