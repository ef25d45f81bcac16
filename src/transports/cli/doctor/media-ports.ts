import { createSocket } from "node:dgram";
import type { Config } from "../../../core/config";
import { rtcPorts } from "../../../core/variables/rtc-ports";
import { type Finding, ok, problem, skipped } from "../../../domain/health/checks/finding";

const CHECK = "media ports";

/**
 * Checks that the UDP ports of the embedded media server are free. It opens them with the first conference, so that a
 * running Signalbox may have some of them open.
 * @param isRunning whether a Signalbox of this configuration runs
 */
export async function checkMediaPorts(
  config: Config,
  isRunning: () => Promise<boolean>,
): Promise<Finding> {
  const { CONFERENCES, JANUS_URL, RTC_PORT, RTC_BIND_ADDRESS, HOST } = config;
  if (!CONFERENCES) return skipped(CHECK, "CONFERENCES is off");
  if (JANUS_URL !== undefined)
    return skipped(CHECK, "JANUS_URL is set: Janus has ports of its own");
  if (RTC_PORT === 0) return skipped(CHECK, "RTC_PORT is 0: each start picks free ports");
  const address = RTC_BIND_ADDRESS ?? HOST;
  const { regular, quarantine } = rtcPorts(config);
  const ports = [...regular, ...quarantine];
  const range = `${ports[0]} to ${ports.at(-1)} (UDP) on ${address}`;
  const errors = await Promise.all(ports.map((port) => bindError(port, address)));
  const index = errors.findIndex((error) => error !== null);
  if (index < 0) return ok(CHECK, `${range} are free`);
  const code = errors[index];
  if (code === "EADDRINUSE" && (await isRunning())) {
    return ok(CHECK, `${range} are free or in use by a running Signalbox`);
  }
  const detail =
    code === "EADDRINUSE"
      ? `Port ${ports[index]} (UDP) on ${address} (RTC_PORT and those after it) is in use by another program`
      : `Port ${ports[index]} (UDP) on ${address} (RTC_PORT and those after it) cannot be opened (${code})`;
  const fix = "stop that program, or set RTC_PORT to the first of as many free ports";
  return problem(CHECK, { detail, fix });
}

/** @returns the error code with which binding fails; null if it succeeds */
function bindError(port: number, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code ?? error.message);
    });
    socket.bind({ port, address, exclusive: true }, () => socket.close(() => resolve(null)));
  });
}
