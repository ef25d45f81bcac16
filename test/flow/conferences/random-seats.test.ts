import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../../tools/conferences/graphql-participant";
import { type Random, seededRandom } from "../../../tools/seeded-random";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, signIn, type TestUser } from "../../support/rest-client";

/**
 * Random joins, leaves and kills, several at a time, from several nodes where services run. The rows, the list of the
 * host's engine and the view of every client agree whenever everything is quiet, and no seat is ever taken twice.
 */

const SEATS = 12;
const USERS = 16;
const GUESTS = 4;
const ROUNDS = 9;
/** Groups of concurrent actions of a round. */
const GROUPS = 9;

/** A device of somebody who takes seats. */
interface Device {
  name: string;
  token: string;
}

/** What has a subscription to the conference. */
interface Client {
  device: Device;
  number: number;
  participant: GraphqlParticipant;
}

let nodes: TestNode[];
let engines: MemoryEngine[];
let host: TestUser;
let devices: Device[];

beforeEach(async () => {
  engines = [];
  nodes = [];
  const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) => {
    const engine = new MemoryEngine(listener);
    engines.push(engine);
    return engine;
  };
  for (let index = 0; index < (hasServices ? 3 : 1); index += 1) {
    nodes.push(await startNode({}, { openEngine }, nodes[0]));
  }
});
afterEach(async () => {
  // The database of the first node is removed last.
  for (const node of nodes.reverse()) await node.stop();
});

/** Signs everybody in, most users on two devices. */
async function signEverybodyIn(conferenceId: string): Promise<void> {
  const [node] = nodes;
  if (!node) throw new Error("no node");
  const input = { conferenceId, maxUses: GUESTS };
  const link = await mutate(node, "createConferenceLink", "secret", input, host.token);
  devices = [];
  for (let index = 0; index < USERS; index += 1) {
    const user = await newUser(node);
    devices.push({ name: user.login, token: user.token });
    if (index % 4 !== 0) {
      devices.push({ name: user.login, token: (await signIn(node, user)).token });
    }
  }
  for (let index = 0; index < GUESTS; index += 1) {
    const name = `Guest ${index}`;
    const guest = { secret: link.secret, name };
    const { token } = await mutate(node, "admitConferenceGuest", "token", guest);
    devices.push({ name, token });
  }
}

const isGuest = ({ name }: Device) => name.startsWith("Guest ");
/** What a guest gets whose seat is taken or lost; its token ends with a removal, and then its socket. */
const GUEST_REFUSALS = /FULL|NOT_FOUND|CONFLICT|UNAUTHENTICATED|4401/;

/** One conference with its clients. */
class Scene {
  readonly clients = new Set<Client>();
  readonly done: Record<string, number> = {};

  constructor(
    readonly id: string,
    private readonly random: Random,
  ) {}

  private pick<T>(from: readonly T[]): T | undefined {
    return from[this.random(from.length)];
  }

  /** A random action; the choice is made at once, so that a seed repeats it. */
  act(): Promise<void> {
    const kind = this.random(20);
    const client = this.pick([...this.clients]);
    const node = this.pick(nodes) as TestNode;
    if (kind < 9 || !client) return this.join(this.pick(devices) as Device, node);
    if (kind < 12) return this.publish(client);
    if (kind < 15) return this.leave(client);
    if (kind < 17) return this.remove(client, node);
    if (kind < 19) return this.cut(client);
    return this.fence();
  }

  private count(action: string): void {
    this.done[action] = (this.done[action] ?? 0) + 1;
  }

  private async join(device: Device, node: TestNode): Promise<void> {
    try {
      const participant = await joinConference(node, this.id, device.token);
      this.count("join");
      this.clients.add({ device, number: Number(participant.participantId), participant });
    } catch (error) {
      this.count("refused");
      // Full, or replaced or removed between the join and the subscription.
      expect(String(error)).toMatch(isGuest(device) ? GUEST_REFUSALS : /FULL|CONFLICT|NOT_FOUND/);
    }
  }

  private async publish({ device, participant }: Client): Promise<void> {
    this.count("publish");
    const published = participant.mutate("publishConferenceMedia", "peerId", { offer: "offer" });
    await this.may(published, device);
    await this.may(participant.mutate("watchConference", "peerId"), device);
  }

  private async leave(client: Client): Promise<void> {
    this.count("leave");
    await this.may(client.participant.mutate("leaveConference", "done"), client.device);
    await this.drop(client);
  }

  private async remove({ number }: Client, node: TestNode): Promise<void> {
    this.count("remove");
    const input = { conferenceId: this.id, participantId: String(number) };
    await this.may(mutate(node, "removeConferenceParticipant", "done", input, host.token));
  }

  /** The network of a client is cut: its seat is free once its lease has ended. */
  private async cut(client: Client): Promise<void> {
    this.count("cut");
    await this.drop(client);
  }

  /** The host is taken for dead, and another node takes over while it still acts. */
  private async fence(): Promise<void> {
    if (nodes.length === 1) return;
    this.count("fence");
    await nodes[0]?.sql("UPDATE conference_nodes SET lease_until = now() - interval '1 minute'");
  }

  private async drop(client: Client): Promise<void> {
    this.clients.delete(client);
    await client.participant.disconnect();
  }

  /** Waits for an operation of somebody who may be out already. */
  private async may(operation: Promise<unknown>, device?: Device): Promise<void> {
    const expected = device && isGuest(device) ? GUEST_REFUSALS : /NOT_FOUND|CONFLICT/;
    await operation.catch((error) => expect(String(error)).toMatch(expected));
  }

  /** Ends the leases of seats that no client holds, as time does. */
  async expireLeases(): Promise<void> {
    const held = [...this.clients]
      .filter(({ participant }) => !participant.isOver())
      .map(({ number }) => number);
    await nodes[0]?.sql(
      `UPDATE conference_members SET lease_until = now() - interval '1 second'
        WHERE conference_id = $1 AND left_at IS NULL AND number <> ALL($2)`,
      [Number(this.id), held],
    );
  }

  async close(): Promise<void> {
    for (const client of [...this.clients]) await this.drop(client);
  }
}

interface SeatRow {
  number: number;
  name: string;
  publishing: boolean;
}

const seatsOf = async (id: string): Promise<SeatRow[]> =>
  (await nodes[0]?.sql<SeatRow>(
    `SELECT number::int AS number, name, publishing FROM conference_members
      WHERE conference_id = $1 AND left_at IS NULL ORDER BY name`,
    [Number(id)],
  )) ?? [];

/** Everything that tells who is in the conference says the same. */
async function agrees(scene: Scene): Promise<void> {
  const rows = await seatsOf(scene.id);
  const names = rows.map(({ name }) => name);
  const live = [...scene.clients].filter(({ participant }) => !participant.isOver());
  // Every seat has a client, and every client a seat.
  expect(live.map(({ device }) => device.name).sort()).toEqual(names);
  for (const { participant } of live) expect(participant.names().sort()).toEqual(names);
  const room = `c-${scene.id}`;
  const peers = engines.flatMap((engine) => [...engine.peers.values()]);
  const here = peers.filter((peer) => peer.room === room);
  const publishing = here
    .filter(({ source }) => source === "main")
    .map(({ participant }) => participant);
  expect(publishing.sort()).toEqual(
    rows.flatMap(({ number, publishing: isUp }) => (isUp ? [number] : [])).sort(),
  );
  const numbers = rows.map(({ number }) => number);
  expect(here.filter(({ participant }) => !numbers.includes(participant))).toEqual([]);
}

test.each([
  [1],
  [2],
])("seats are never more than twelve, and nobody is a ghost: seed %i", async (seed) => {
  const random = seededRandom(seed);
  const [first] = nodes;
  if (!first) throw new Error("no node");
  host = await newUser(first);
  const id = await createConference(first, host.token, { seats: SEATS });
  await signEverybodyIn(id);
  const scene = new Scene(id, random);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let group = 0; group < GROUPS; group += 1) {
      await Promise.all(Array.from({ length: 1 + random(4) }, () => scene.act()));
      expect((await seatsOf(id)).length).toBeLessThanOrEqual(SEATS);
    }
    await passes(async () => {
      await scene.expireLeases();
      await agrees(scene);
    });
  }
  const total = Object.values(scene.done).reduce((all, each) => all + each, 0);
  expect(total).toBeGreaterThan(150);
  expect(scene.done.refused).toBeGreaterThan(0);
  await scene.close();
});

describe("a link", () => {
  async function newLink(maxUses: number) {
    const [first] = nodes;
    if (!first) throw new Error("no node");
    host = await newUser(first);
    const id = await createConference(first, host.token, { seats: SEATS });
    const input = { conferenceId: id, maxUses };
    const fields = "secret link { id }";
    const made = await mutate(first, "createConferenceLink", fields, input, host.token);
    return { id, secret: made.secret, linkId: made.link.id };
  }
  const nodeOf = (index: number) => nodes[index % nodes.length] as TestNode;
  const admit = (secret: string, index: number): Promise<string | null> =>
    mutate(nodeOf(index), "admitConferenceGuest", "token", { secret, name: `G ${index}` }).then(
      ({ token }) => token,
      (error) => {
        expect(String(error)).toMatch(/NOT_FOUND/);
        return null;
      },
    );

  test.each([1, 5])("that admits %i admits no more, however many ask at once", async (uses) => {
    const { secret } = await newLink(uses);
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, each) => admit(secret, each)));
    expect(tokens.filter((token) => token !== null)).toHaveLength(uses);
  });

  test("that is withdrawn leaves nobody inside, also if guests join meanwhile", async () => {
    const { id, secret, linkId } = await newLink(10);
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, each) => admit(secret, each)));
    const joined: GraphqlParticipant[] = [];
    const joins = tokens.map(async (token, index) => {
      try {
        joined.push(await joinConference(nodeOf(index), id, token ?? ""));
      } catch (error) {
        expect(String(error)).toMatch(/UNAUTHENTICATED|NOT_FOUND|4401/);
      }
    });
    const withdrawn = mutate(
      nodeOf(1),
      "deleteConferenceLink",
      "deletedLinkId",
      { linkId },
      host.token,
    );
    await Promise.all([...joins, withdrawn]);
    await passes(async () => {
      expect(await seatsOf(id)).toEqual([]);
      expect(joined.every((participant) => participant.isOver())).toBe(true);
    });
    for (const participant of joined) await participant.disconnect();
  });
});
