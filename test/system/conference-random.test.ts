import { type DurableRedis, startDurableRedis } from "../../scripts/services/redis-server";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import { GatewayConference } from "../../tools/conferences/gateway/gateway-conference";
import { mutate, passes } from "../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import { type Random, seededRandom } from "../../tools/seeded-random";
import { Cluster } from "../support/operations/cluster";

/**
 * Random joins, leaves, removals, cuts, and kills of nodes and of the media server, with media. Whenever everything is
 * quiet, the rows, the media server's own list, and the events and media of every participant say the same.
 */

const SEATS = 12;
const USERS = 24;
const NODES = 2;
const ROUNDS = 5;
/** Groups of concurrent actions of a round, and actions of a group. */
const GROUPS = 10;
const ACTIONS = 4;
/** Low: participants come and go, and the number of packets is not what is tested. */
const MEDIA = { kbits: 30, fps: 5, audio: 10 };
/**
 * Deaths of the media server of a node. At the third one with this conference alone the node would end the conference,
 * since what its participants sent may be the cause (test/unit/conferences/room-placement).
 */
const ENGINE_KILLS_MAX = 2;
/** The user who creates the conference, removes others and never leaves. */
const HOST = 1;

describe.each(ENGINE_SERVERS)("on $name", ({ start }) => {
  let engine: EngineServer;
  let redis: DurableRedis;
  let cluster: Cluster;
  let peers: SyntheticPeers;
  let conference: GatewayConference;

  beforeAll(async () => {
    engine = await start();
    redis = await startDurableRedis();
    cluster = await Cluster.start(NODES, { REDIS_URL: redis.url, ...engine.environment });
    peers = new SyntheticPeers({});
  });
  afterAll(async () => {
    await conference?.abandon();
    await peers?.close();
    await cluster?.stop();
    await redis?.stop();
    await engine?.stop();
  });

  test("200 random joins, leaves and kills never show more than twelve participants or a ghost", async () => {
    const tokens = (await cluster.createUsers(USERS)).map(({ token }) => token);
    const [first] = cluster.runningNodes();
    if (!first) throw new Error("no node runs");
    conference = await GatewayConference.open(first, tokens, peers, {
      recovers: true,
      media: MEDIA,
      settings: { seats: SEATS },
    });
    const scene = new Scene(cluster, engine, conference, seededRandom(7));
    await scene.join(HOST);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let group = 0; group < GROUPS; group += 1) {
        await scene.actTogether(ACTIONS);
        expect((await scene.seats()).length).toBeLessThanOrEqual(SEATS);
      }
      await scene.settle();
    }
    const { done } = scene;
    expect(Object.values(done).reduce((all, count) => all + count, 0)).toBe(
      ROUNDS * GROUPS * ACTIONS + 1,
    );
    for (const kind of ["full", "leave", "remove", "cut", "node killed", "engine killed"]) {
      expect([kind, done[kind] ?? 0]).not.toEqual([kind, 0]);
    }
  });
});

/** The conference with what happens to it. */
class Scene {
  /** Number of actions by kind. */
  readonly done: Record<string, number> = {};
  /** Deaths of the media server by the process of its node. */
  private readonly engineKills = new Map<number, number>();
  /** The last action of each user: a device does one thing at a time. */
  private readonly last = new Map<number, Promise<void>>();

  constructor(
    private readonly cluster: Cluster,
    private readonly engine: EngineServer,
    private readonly conference: GatewayConference,
    private readonly random: Random,
  ) {}

  /** Numbers of the users who have a seat. */
  async seats(): Promise<number[]> {
    const rows = await this.cluster.sql<{ login: string }>(
      `SELECT login FROM conference_members JOIN users ON users.id = user_id
        WHERE conference_id = $1 AND left_at IS NULL`,
      [Number(this.conference.id)],
    );
    return rows.map(({ login }) => Number(login.split("-").at(-1))).sort((a, b) => a - b);
  }

  /** Random actions at the same time. At most one of them is a kill, and then it is the last. */
  async actTogether(count: number): Promise<void> {
    const kill = this.random(6) === 0 ? [this.random(2)] : [];
    const actions = Array.from({ length: count - kill.length }, () => this.act());
    for (const kind of kill) actions.push(kind === 0 ? this.killNode() : this.killEngine());
    await Promise.all(actions);
    await this.resume();
  }

  private act(): Promise<void> {
    const here = [...this.conference.participants.keys()].filter((number) => number !== HOST);
    const kind = this.random(20);
    const number = here[this.random(here.length)];
    if (kind < 15 || number === undefined) return this.join(2 + this.random(USERS - 1));
    if (kind < 17) return this.leave(number);
    if (kind < 18) return this.remove(number);
    return this.cut(number);
  }

  private pickNode() {
    const nodes = this.cluster.runningNodes();
    const node = nodes[this.random(nodes.length)];
    if (!node) throw new Error("no node runs");
    return node;
  }

  private count(kind: string): void {
    this.done[kind] = (this.done[kind] ?? 0) + 1;
  }

  /** Runs an action of a user after the user's earlier ones. */
  private inTurn(number: number, act: () => Promise<void>): Promise<void> {
    const turn = (this.last.get(number) ?? Promise.resolve()).then(act);
    this.last.set(number, turn);
    return turn;
  }

  /** Joins, or comes back on another device. Nobody else's network or node counts: it tries until it is answered. */
  join(number: number): Promise<void> {
    return this.inTurn(number, async () => {
      await this.conference.cut(number);
      const kind = await passes(() =>
        this.conference.join(number, this.pickNode()).then(
          () => "join",
          (error) => {
            if (String(error).includes("FULL")) return "full";
            throw error;
          },
        ),
      );
      this.count(kind);
    });
  }

  private leave(number: number): Promise<void> {
    this.count("leave");
    return this.inTurn(number, async () => {
      // Out since it was chosen.
      if (!this.conference.eventsOf(number)) return;
      const { membershipId, token } = this.conference.eventsOf(number) ?? {};
      await passes(() =>
        mutate(this.pickNode(), "leaveConference", "done", { membershipId }, token).catch(
          unlessGone,
        ),
      );
      await this.conference.cut(number);
    });
  }

  private async remove(number: number): Promise<void> {
    this.count("remove");
    const participantId = this.conference.eventsOf(number)?.participantId;
    if (participantId === undefined) return;
    await passes(() =>
      this.conference
        .mutate(HOST, "removeConferenceParticipant", "done", { participantId }, this.pickNode())
        .catch(unlessGone),
    );
  }

  private cut(number: number): Promise<void> {
    this.count("cut");
    return this.inTurn(number, () => this.conference.cut(number));
  }

  private async killNode(): Promise<void> {
    this.count("node killed");
    const index = this.random(NODES);
    await this.cluster.stopNode(index, "SIGKILL");
    await this.cluster.startNode(index);
  }

  private async killEngine(): Promise<void> {
    const node = this.pickNode().process.child.pid ?? 0;
    const kills = this.engineKills.get(node) ?? 0;
    if (kills === ENGINE_KILLS_MAX) return this.killNode();
    this.engineKills.set(node, kills + 1);
    this.count("engine killed");
    await this.engine.kill(node).catch((error) => {
      // A node without a conference has no media server to kill.
      if (!String(error).includes("has no media server")) throw error;
    });
  }

  /** Participants whose subscription was cut by the death of a node go on at another one; those who are out, do not. */
  private async resume(): Promise<void> {
    await Promise.all(
      [...this.conference.participants.keys()].map((number) =>
        this.inTurn(number, async () => {
          const events = this.conference.eventsOf(number);
          if (!events?.isOver()) return;
          if (events.hasEnded()) await this.conference.cut(number);
          else await passes(() => this.conference.resume(number, this.pickNode()));
        }),
      ),
    );
  }

  /** Ends the leases of the seats that nobody holds, as time does, and waits until all say the same. */
  async settle(): Promise<void> {
    await passes(async () => {
      await this.resume();
      const numbers = [...this.conference.participants.keys()].sort((a, b) => a - b);
      await this.cluster.sql(
        `UPDATE conference_members SET lease_until = now() - interval '1 second'
          FROM users WHERE users.id = user_id AND conference_id = $1 AND left_at IS NULL
            AND split_part(login, '-', 3)::int <> ALL($2)`,
        [Number(this.conference.id), numbers],
      );
      expect(await this.seats()).toEqual(numbers);
      for (const number of numbers) {
        expect(this.conference.eventsOf(number)?.isOver()).toBe(false);
        expect(this.conference.eventsOf(number)?.names()).toHaveLength(numbers.length);
      }
      expect(await this.engine.lists(numbers.length, this.cluster.runningNodes())).toBe(true);
    });
    const before = await this.watching();
    await passes(async () => {
      const now = await this.watching();
      const wrong: object[] = [];
      for (const [number, { state, counts }] of now) {
        const earlier = before.get(number)?.counts;
        for (const [track, count] of counts) {
          // A watching peer that was opened again counts from 0: what it receives from here on is compared.
          if (count < (earlier?.get(track) ?? 0)) earlier?.set(track, count);
        }
        const growing = [...counts].filter(
          ([track, count]) => count > (earlier?.get(track) ?? 0) + 3,
        );
        const senders = growing.map(([track]) => Number(track.split(" ")[1])).sort((a, b) => a - b);
        const others = [...now.keys()].filter((other) => other !== number).sort((a, b) => a - b);
        const wanted = others.flatMap((other) => [other, other]);
        if (state === "connected" && JSON.stringify(senders) === JSON.stringify(wanted)) continue;
        const missing = others.filter(
          (other) => senders.filter((each) => each === other).length < 2,
        );
        const publishers = await Promise.all(
          missing.map(async (other) => ({
            number: other,
            ...(await this.conference.participants.get(other)?.publishing()),
          })),
        );
        const { events = [] } = this.conference.eventsOf(number) ?? {};
        wrong.push({ number, state, senders, publishers, last: events.slice(-5) });
      }
      // All of them, with the publishers that are missing: they show whether a sender or a receiver is at fault.
      expect(wrong).toEqual([]);
    });
  }

  /** The watching connection of each participant, with the number of packets by media section and sender. */
  private async watching(): Promise<Map<number, { state: string; counts: Map<string, number> }>> {
    const all = await Promise.all(
      [...this.conference.participants].map(async ([number, participant]) => {
        const { state, tracks } = await participant.watching();
        const counts = tracks.map(
          ({ mid, sender, packets }) => [`${mid} ${sender}`, packets] as const,
        );
        return [number, { state, counts: new Map(counts) }] as const;
      }),
    );
    return new Map(all);
  }
}

/** The participant is out already. */
function unlessGone(error: unknown): void {
  if (!/NOT_FOUND|CONFLICT/.test(String(error))) throw error;
}
