/**
 * When a day starts in the browser's time zone, or one that is some days later. A wrong day is refused by the service.
 * @param day such as 2026-11-27
 */
export function startOfDay(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isNaN(start.getTime()) ? day : start.toISOString();
}
