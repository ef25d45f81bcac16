import { systemClock } from "../../../src/core/clock";
import { openLog } from "../../../src/core/log";
import { NodeCalls } from "../../../src/domain/conferences/host/node-calls";
import { openLocalBus } from "../../../src/platform/bus/local";

it("a repeated command runs once, however often statistics are read in between", async () => {
  const log = openLog("silent");
  const bus = openLocalBus(systemClock, log);
  const ran: string[] = [];
  const host = new NodeCalls(bus, log, "host", async (_conferenceId, command) => {
    ran.push(command);
    return ran.length;
  });
  const caller = new NodeCalls(bus, log, "caller", async () => undefined);
  await host.open();
  expect(await caller.call("host", "a", 1, "muteParticipant", [])).toBe(1);
  for (let n = 0; n < 1_001; n += 1) await caller.call("host", `statistics ${n}`, 1, "figures", []);
  expect(await caller.call("host", "a", 1, "muteParticipant", [])).toBe(1);
  expect(await caller.call("host", "statistics 0", 1, "figures", [])).toBe(1_003);
  expect(ran.filter((command) => command === "muteParticipant")).toHaveLength(1);
  await Promise.all([host.close(), caller.close()]);
  await bus.close();
});
