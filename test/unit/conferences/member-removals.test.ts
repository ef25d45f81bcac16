import { openLog } from "../../../src/core/log";
import { ConferenceChanges } from "../../../src/domain/conferences/host/conference-changes";
import type { HostDeps } from "../../../src/domain/conferences/host/host-deps";
import type { HostedEngine } from "../../../src/domain/conferences/host/hosted-engine";
import type { HostedMembers } from "../../../src/domain/conferences/host/hosted-members";
import { MemberRemovals } from "../../../src/domain/conferences/host/member-removals";
import { openLocalBus } from "../../../src/platform/bus/local";
import type { Transaction } from "../../../src/platform/store/store";

/** Changes that wait at most. */
const WAITING_MAX = 1_000;

test("a member whose requests fill the queue is removed all the same, once", async () => {
  const log = openLog("silent");
  const statements: string[] = [];
  const transaction: Pick<Transaction, "query"> = {
    async query<Row>({ name }: { name: string }) {
      statements.push(name);
      return [{ sequence: 1 }] as Row[];
    },
  };
  const deps = {
    bus: openLocalBus({ now: () => 0 }, log),
    log,
    store: {
      transaction: <T>(act: (open: Transaction) => Promise<T>) => act(transaction as Transaction),
    },
  } as unknown as HostDeps;
  const members = new Map([[7, { id: 7, number: 70 }]]);
  const changes = new ConferenceChanges(
    deps,
    () => ({ conferenceId: 1, node: "node", generation: 1 }),
    { application_id: 1, sequence: 0 },
    () => ({ type: "reconnect" }),
    () => undefined,
  );
  const removals = new MemberRemovals(
    deps,
    1,
    changes,
    {
      get: (id: number) => members.get(id),
      remove: (id: number) => void members.delete(id),
    } as unknown as HostedMembers,
    { closeMember: async () => undefined } as unknown as HostedEngine,
  );
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = Array.from({ length: WAITING_MAX }, () => changes.run(() => gate));
  await expect(changes.run(() => gate)).rejects.toThrow("The conference is overloaded");
  const removed = [removals.remove(7, "removed"), removals.remove(7, "left")];
  release();
  await Promise.all([...waiting, ...removed]);
  expect(members.size).toBe(0);
  expect(statements.filter((name) => name === "leave_conference")).toHaveLength(1);
});
