import { setTimeout as wait } from "node:timers/promises";
import { type DurableRedis, startDurableRedis } from "../../scripts/services/redis-server";
import { GraphqlPhone } from "../support/calls/phones/graphql-phone";
import type { Phone } from "../support/calls/phones/phone";
import { XmppPhone } from "../support/calls/phones/xmpp-phone";
import { eventually } from "../support/moving-clock";
import { Cluster } from "../support/operations/cluster";

/**
 * Three nodes, PostgreSQL, a Redis that syncs every write to disk, and 200 phones, half of them over XMPP,
 * which signal each other while nodes and Redis are killed.
 */

const PHONES = 200;
/** Average interval between signals of a phone, in milliseconds. */
const PACE_MS = 1_500;

describe("three nodes and 200 phones", () => {
  let redis: DurableRedis;
  let cluster: Cluster;
  let phones: Phone[];

  beforeAll(async () => {
    redis = await startDurableRedis();
    cluster = await Cluster.start(3, { REDIS_URL: redis.url, DRAIN_SPREAD_SECONDS: "1" });
  });
  beforeEach(async () => {
    const owners = await cluster.createUsers(PHONES);
    phones = owners.map((owner, index) =>
      index % 2 === 0
        ? new GraphqlPhone(owner, cluster.runningNodes)
        : new XmppPhone(owner, cluster.runningNodes),
    );
    await Promise.all(phones.map(({ ready }) => ready));
  });
  afterEach(() => {
    for (const phone of phones) phone.stop();
  });
  afterAll(async () => {
    await cluster?.stop();
    await redis?.stop();
  });

  /**
   * Lets all phones signal each other during an action, which may wait until as many further signals as there are phones
   * are acknowledged.
   * @returns the acknowledged signal ids by recipient
   */
  async function signalDuring(
    action: (signals: () => Promise<unknown>) => Promise<void>,
  ): Promise<Map<Phone, string[]>> {
    const acknowledged = new Map<Phone, string[]>(phones.map((phone) => [phone, []]));
    let count = 0;
    let over = false;
    const sendSignals = async (phone: Phone, name: number) => {
      for (let number = 0; !over; number++) {
        await wait(Math.random() * 2 * PACE_MS);
        const to = phones[Math.floor(Math.random() * phones.length)]!;
        const id = `${name}-${number}`;
        await phone.send(to.owner, id);
        acknowledged.get(to)!.push(id);
        count++;
      }
    };
    const senders = phones.map(sendSignals);
    await action(() => {
      const enough = count + PHONES;
      return eventually(
        () => count,
        (now) => now >= enough,
      );
    });
    over = true;
    await Promise.all(senders);
    return acknowledged;
  }

  /** Waits until all acknowledged signals have arrived. @returns the ids of those that have not */
  async function missing(acknowledged: Map<Phone, string[]>): Promise<string[]> {
    let lost: string[] = [];
    for (let turn = 0; turn < 300; turn++) {
      lost = [...acknowledged].flatMap(([{ received }, ids]) =>
        ids.filter((id) => !received.has(id)),
      );
      if (lost.length === 0) return [];
      await wait(200);
    }
    return lost;
  }

  function expectNoGaps(acknowledged: Map<Phone, string[]>): void {
    const ids = [...acknowledged.values()].flat();
    // All signals have different ids, and there were many.
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(PHONES * 3);
    expect(phones.flatMap(({ gaps }) => gaps)).toEqual([]);
  }

  test("a node is killed and Redis is restarted: no acknowledged signal is missing", async () => {
    const acknowledged = await signalDuring(async (signals) => {
      await signals();
      await cluster.stopNode(0, "SIGKILL");
      await signals();
      await redis.restart("SIGKILL");
      await signals();
      await cluster.startNode(0);
      await signals();
    });
    expect(await missing(acknowledged)).toEqual([]);
    expectNoGaps(acknowledged);
    const moved = phones.filter(({ connections }) => connections > 1);
    expect(moved.length).toBeGreaterThan(PHONES / 5);
  });

  test("each node in turn is stopped and restarted: no acknowledged signal is missing", async () => {
    const acknowledged = await signalDuring(async (signals) => {
      for (const index of [0, 1, 2]) {
        await signals();
        expect(await cluster.stopNode(index, "SIGTERM")).toBe(0);
        await cluster.startNode(index);
      }
      await signals();
    });
    expect(await missing(acknowledged)).toEqual([]);
    expectNoGaps(acknowledged);
    for (const { connections } of phones) expect(connections).toBeGreaterThan(1);
  });
});
