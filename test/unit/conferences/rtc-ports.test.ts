import { availableParallelism } from "node:os";
import { readConfig } from "../../../src/core/config";
import { rtcPorts } from "../../../src/core/variables/rtc-ports";

/** The UDP ports of the embedded media server, as documents and firewalls name them. */

test("are RTC_PROCESSES from RTC_PORT, and two more", () => {
  const config = readConfig({ RTC_PORT: "20000", RTC_PROCESSES: "3" });
  expect(rtcPorts(config)).toEqual({
    regular: [20_000, 20_001, 20_002],
    quarantine: [20_003, 20_004],
  });
});

test("are by default those of one process for each core, at most four", () => {
  const { regular, quarantine } = rtcPorts(readConfig({}));
  expect(regular).toHaveLength(Math.min(4, availableParallelism()));
  expect([...regular, ...quarantine].map((port) => port - 10_000)).toEqual(
    [...regular, ...quarantine].map((_, index) => index),
  );
});

test("are chosen at the start with 0", () => {
  const config = readConfig({ RTC_PORT: "0", RTC_PROCESSES: "2" });
  expect(rtcPorts(config)).toEqual({ regular: [0, 0], quarantine: [0, 0] });
});

test("must exist", () => {
  expect(() => readConfig({ RTC_PORT: "65533", RTC_PROCESSES: "2" })).toThrow(
    "RTC_PORT must be lower",
  );
  expect(readConfig({ RTC_PORT: "65532", RTC_PROCESSES: "2" }).RTC_PROCESSES).toBe(2);
});
