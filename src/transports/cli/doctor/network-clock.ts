import { checkClockOffset } from "../../../domain/health/checks/clock";
import { type Finding, skipped } from "../../../domain/health/checks/finding";
import { askTimeServer } from "./ntp";

const NETWORK = "clock: network";
const NETWORK_MS = 2_500;

/** Compares this machine's clock with a time server's. An unreachable server is skipped, not an error. */
export async function checkNetworkClock(timeServer: string): Promise<Finding[]> {
  if (timeServer === "none") return [skipped(NETWORK, "disabled by --time-server none")];
  try {
    const aheadMs = await askTimeServer(timeServer, NETWORK_MS);
    return [checkClockOffset(NETWORK, `the time of ${timeServer}`, aheadMs)];
  } catch {
    return [skipped(NETWORK, `${timeServer} does not answer: offline, or NTP is blocked`)];
  }
}
