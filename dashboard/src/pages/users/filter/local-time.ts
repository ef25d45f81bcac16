/** A time of the service as the value of an input of local times; "" for no time. */
export function toLocalTime(utc: string): string {
  const time = new Date(utc);
  if (Number.isNaN(time.getTime())) return "";
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The value of an input of local times as a time of the service; empty while it is incomplete. */
export function toUtcTime(local: string): readonly string[] {
  const time = new Date(local);
  if (local === "" || Number.isNaN(time.getTime())) return [];
  return [`${time.toISOString().slice(0, 19)}Z`];
}
