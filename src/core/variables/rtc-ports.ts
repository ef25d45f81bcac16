import { availableParallelism } from "node:os";

/** Maximum of the default of RTC_PROCESSES. */
const PROCESSES_DEFAULT_MAX = 4;
/** Number of processes for conferences that may have ended theirs. */
const QUARANTINE_PROCESSES = 2;

/** UDP ports of the embedded media server, one for each process; 0 for any free port. */
export interface RtcPorts {
  /** Of the processes among which conferences are spread. */
  regular: number[];
  /** Of the processes for conferences that may have ended theirs. */
  quarantine: number[];
}

/** The ports that a configuration names: RTC_PORT and those after it. */
export function rtcPorts({
  RTC_PORT: first,
  RTC_PROCESSES: processes = Math.min(PROCESSES_DEFAULT_MAX, availableParallelism()),
}: {
  RTC_PORT: number;
  RTC_PROCESSES?: number | undefined;
}): RtcPorts {
  const ports = Array.from({ length: processes + QUARANTINE_PROCESSES }, (_, index) =>
    first === 0 ? 0 : first + index,
  );
  return { regular: ports.slice(0, processes), quarantine: ports.slice(processes) };
}
