import { execFile } from "node:child_process";
import type { Log } from "../log";

/**
 * Tells systemd the state of the service (sd_notify(3)), if systemd has started it with `Type=notify`. A failure is a
 * warning: the service works without systemd.
 */
export function notifySystemd(state: "READY=1" | "STOPPING=1", log: Log): void {
  if (!process.env.NOTIFY_SOCKET) return;
  // The socket is a datagram socket of the family AF_UNIX, which Node.js does not have.
  execFile("systemd-notify", [state], (error) => {
    if (error === null) return;
    log.warn(
      { err: error },
      `systemd-notify could not report ${state} to systemd, which stops a service that is never ready: install ` +
        "systemd-notify, or set Type=exec in the unit",
    );
  });
}
