import { TIMESTAMP_TOLERANCE_S } from "../../sessions/verify-signature";
import { type CheckName, type Finding, failure, ok, pluralize, warning } from "./finding";

/** Tolerated clock difference, in seconds: the tolerance for Firebase tokens (sign-in by phone). */
const TOLERATED_S = 60;
/** Beyond half the tolerance for signed requests, clients with a correct clock start to fail. */
const FAILING_S = TIMESTAMP_TOLERANCE_S / 2;

const FIX = "Synchronize both machines by NTP (timedatectl set-ntp true).";

/**
 * Rates the difference between two clocks.
 * @param otherClock the other clock, for example "the database's clock"
 * @param aheadMs how far the other clock is ahead of this machine's, in milliseconds
 */
export function checkClockOffset(check: CheckName, otherClock: string, aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs) / 1000;
  if (seconds <= TOLERATED_S) return ok(check, `within ${durationText(seconds)} of ${otherClock}`);
  const direction = aheadMs > 0 ? "behind" : "ahead of";
  const detail = `this machine's clock is ${durationText(seconds)} ${direction} ${otherClock}`;
  if (seconds > FAILING_S) {
    const window = `${TIMESTAMP_TOLERANCE_S / 60} minutes`;
    return failure(check, `${detail}; requests signed more than ${window} off are refused`, FIX);
  }
  return warning(check, detail, FIX);
}

function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  const whole = Math.round(seconds);
  return whole < 120 ? pluralize(whole, "second") : `${Math.round(whole / 60)} minutes`;
}
