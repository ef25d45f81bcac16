import fc from "fast-check";
import { types } from "pg";
import { parseTimestamp, TIMESTAMPTZ_OID } from "../../src/platform/store/postgres";

const parseByDriver = types.getTypeParser(TIMESTAMPTZ_OID, "text");

test.each([
  ["2026-11-21 10:00:00.123+00", Date.UTC(2026, 10, 21, 10, 0, 0, 123)],
  ["2026-11-21 10:00:00+00", Date.UTC(2026, 10, 21, 10)],
  ["2026-11-21 10:00:00.5+00", Date.UTC(2026, 10, 21, 10, 0, 0, 500)],
  ["2026-11-21 10:00:00.123999+00", Date.UTC(2026, 10, 21, 10, 0, 0, 123)],
  ["2026-11-21 15:30:00.123+05:30", Date.UTC(2026, 10, 21, 10, 0, 0, 123)],
  ["10000-01-01 00:00:00+00", Date.UTC(10_000, 0, 1)],
])("%s is parsed to the millisecond", (text, ms) => {
  expect(Number(parseTimestamp(text))).toBe(ms);
});

test.each([
  "infinity",
  "-infinity",
  "0044-03-15 12:00:00+00 BC",
  "0099-01-01 00:00:00+00",
])("%s is parsed as the driver does", (text) => {
  expect(parseTimestamp(text)).toEqual(parseByDriver(text));
});

test("any timestamp of a session in UTC is parsed as the driver does", () => {
  const moments = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moments, (date) => {
      const text = `${date.toISOString().replace("T", " ").slice(0, -1)}+00`;
      expect(parseTimestamp(text)).toEqual(date);
      expect(parseByDriver(text)).toEqual(date);
    }),
  );
});
