import { openLocalBus } from "../../../src/bus/local";
import { ConferenceChanges } from "../../../src/conferences/host/conference-changes";
import type { HostDeps } from "../../../src/conferences/host/host-deps";
import type { HostedEngine } from "../../../src/conferences/host/hosted-engine";
import type { HostedMembers } from "../../../src/conferences/host/hosted-members";
import { MemberRemovals } from "../../../src/conferences/host/member-removals";
import { openLog } from "../../../src/core/log";
import type { Transaction } from "../../../src/store/store";

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
