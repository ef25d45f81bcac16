import { openCallHistory } from "../../src/domain/calls/history/call-jobs";
import { CALL_JOBS, type HistoryDeps } from "../../src/domain/calls/history/history-deps";

/** Where calls whose devices have gone are looked for. */

test.each([
  ["embedded", true],
  ["component", false],
])("with the chat mode %s, calls can be lost: %s", (CHAT_MODE, expected) => {
  const names: string[] = [];
  const deps = {
    config: { CHAT_MODE },
    clock: { now: () => 0 },
    jobs: { work: (name: string) => names.push(name) },
  } as unknown as HistoryDeps;
  openCallHistory(deps, { alone: true });
  // The devices at an attached chat server are not connected to this service.
  expect(names.includes(CALL_JOBS.lost)).toBe(expected);
});
