import { TIMESTAMP_TOLERANCE } from "../../identity/session/signing";
import { counted, type Finding, ok, skipped, warning, wrong } from "./finding";
import { askTimeServer } from "./ntp";

const NETWORK = "clock: network";
const NETWORK_MS = 2_500;

/** Seconds that Firebase's tokens may be off (sign-in by phone), and that nobody trips over. */
const UNNOTICED_S = 60;
/** Beyond half of what signed requests may be off, clients with a right clock begin to be refused. */
const REFUSED_S = TIMESTAMP_TOLERANCE / 2;

const MEND = "Keep the clocks by NTP (timedatectl set-ntp true), on this machine and on that one.";

/**
 * What a difference between two clocks means.
 * @param whose the other one, as "the database's clock"
 * @param aheadMs milliseconds that the other is ahead of this machine's
 */
export function clockFinding(check: string, whose: string, aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs) / 1000;
  if (seconds <= UNNOTICED_S) return ok(check, `within ${lengthOf(seconds)} of ${whose}`);
  const way = aheadMs > 0 ? "behind" : "ahead of";
  const detail = `this machine's clock is ${lengthOf(seconds)} ${way} ${whose}`;
  if (seconds > REFUSED_S) {
    const window = `${TIMESTAMP_TOLERANCE / 60} minutes`;
    return wrong(check, `${detail}; requests signed more than ${window} off are refused`, MEND);
  }
  return warning(check, detail, MEND);
}

function lengthOf(seconds: number): string {
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  const whole = Math.round(seconds);
  return whole < 120 ? counted(whole, "second") : `${Math.round(whole / 60)} minutes`;
}

/** This machine's clock beside a time server's; a machine that reaches none is none the worse. */
export async function checkNetworkClock(timeServer: string): Promise<Finding[]> {
  if (timeServer === "none") return [skipped(NETWORK, "no time server is to be asked")];
  try {
    const aheadMs = await askTimeServer(timeServer, NETWORK_MS);
    return [clockFinding(NETWORK, `the time of ${timeServer}`, aheadMs)];
  } catch {
    return [skipped(NETWORK, `${timeServer} gave no answer: offline, or NTP is not let through`)];
  }
}
