/** Dates, numbers and sizes in the language of the browser. */

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dateTimeSeconds = new Intl.DateTimeFormat(undefined, {
  dateStyle: "long",
  timeStyle: "medium",
});
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const integer = new Intl.NumberFormat();
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
/** Whole days that are left or past: “tomorrow” would be a day of the calendar. */
const relativeDays = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });

/** A time of the service, such as "2 Oct 2026, 14:05". */
export function formatDateTime(time: string): string {
  return dateTime.format(new Date(time));
}

/** A time of the service to the second, such as "2 October 2026 at 14:05:09". */
export function formatExactTime(time: string): string {
  return dateTimeSeconds.format(new Date(time));
}

/** The day of a time of the service. */
export function formatDate(time: string): string {
  return date.format(new Date(time));
}

/** A whole number with separators. */
export function formatNumber(value: number): string {
  return integer.format(value);
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How far a time is from now, such as "3 hours ago". */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  for (const [unit, length] of UNITS) {
    const format = unit === "day" ? relativeDays : relative;
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.trunc(seconds), "second");
}

const duration = new Intl.NumberFormat(undefined, { minimumIntegerDigits: 2 });

/** The length of something, such as "1:02:05" or "0:42". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const rest = duration.format(whole % 60);
  if (hours === 0) return `${formatNumber(minutes)}:${rest}`;
  return `${formatNumber(hours)}:${duration.format(minutes)}:${rest}`;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The time of day of a time of the service, such as "14:05:09". */
export function formatClock(time: string): string {
  return clock.format(new Date(time));
}

const shortSeconds = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "second",
  unitDisplay: "narrow",
  maximumFractionDigits: 1,
});

/** A short time, such as "3.2s". */
export function formatSeconds(seconds: number): string {
  return shortSeconds.format(seconds);
}

const kilobits = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "kilobit-per-second",
  maximumFractionDigits: 0,
});

/** Bits per second, such as "500 kb/s". */
export function formatBitrate(bitsPerSecond: number): string {
  return kilobits.format(bitsPerSecond / 1_000);
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** A share from 0 to 1, such as "2.5%". */
export function formatShare(share: number): string {
  return percent.format(share);
}

const milliseconds = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "millisecond",
  maximumFractionDigits: 0,
});

/** A very short time, such as "20 ms". */
export function formatMilliseconds(ms: number): string {
  return milliseconds.format(ms);
}

/** A number with the word that fits it. */
export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
