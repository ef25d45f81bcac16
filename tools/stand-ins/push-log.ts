import type { StandIns } from "./start";

/** Maximum length of a log line in characters. */
const LINE_MAX = 300;

const shorten = (device: string) =>
  device.length > 20 ? `${device.slice(0, 12)}…${device.slice(-4)}` : device;

const oneLine = (text: string) => {
  const printable = text.replace(/\p{Cc}+/gu, " ");
  return printable.length > LINE_MAX ? `${printable.slice(0, LINE_MAX)}…` : printable;
};

/** Logs each push in one line: service, status, device, type and payload. */
export function logPushes(standIns: StandIns, log: (line: string) => void): void {
  const line = (
    service: string,
    status: number,
    reason: string | null,
    device: string,
    details: Array<string | null | undefined>,
  ) => {
    const time = new Date().toTimeString().slice(0, 8);
    const shown = [shorten(device), ...details].filter((detail) => detail);
    const parts = [time, service.padEnd(4), status, ...shown];
    log(oneLine(`${parts.join("  ")}${reason ? `  ← ${reason}` : ""}`));
  };
  standIns.apns.received.listen(({ status, reason, device, headers, payload }) =>
    line("APNs", status, reason, device, [
      headers["apns-topic"],
      headers["apns-push-type"],
      payload,
    ]),
  );
  standIns.fcm.received.listen(({ status, reason, device, message, validateOnly }) => {
    const { token, ...rest } = message;
    const only = validateOnly ? "validated only" : null;
    line("FCM", status, reason, device, [only, JSON.stringify(rest)]);
  });
  standIns.web.received.listen(({ status, reason, device, headers, text }) =>
    line("Web", status, reason, device, [headers.ttl && `ttl ${headers.ttl}`, text]),
  );
}
