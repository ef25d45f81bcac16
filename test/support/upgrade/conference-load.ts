import { setTimeout as wait } from "node:timers/promises";
import { GatewayConference } from "../../../tools/conferences/gateway/gateway-conference";
import type { ReceivedEvent } from "../../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../../tools/conferences/synthetic-peer";
import type { Owner } from "../calls/phones/phone";
import { eventually } from "../moving-clock";
import type { VersionNode } from "./versions";

/** Pause between two changes, and between two looks at the connections, in milliseconds. */
const PACE_MS = 200;
/** What the nodes answer while none hosts the conference, and what happens to the requests that a node closes. */
const PASSING = /^UNAVAILABLE|fetch failed/;
const NAME = /^meeting (\d+)$/;

/**
 * A conference with media, whose participants continue at another node when theirs leaves. Its moderator gives it a new
 * name all the time.
 */
export class ConferenceLoad {
  /** Requests that failed for no reason that passes. */
  readonly failures: string[] = [];
  /** Number in the last name that was acknowledged. */
  private acknowledged = 0;
  private over = false;
  private readonly loops: Promise<void>[] = [];

  private constructor(
    private readonly conference: GatewayConference,
    private readonly peers: SyntheticPeers,
    private readonly nodes: () => VersionNode[],
  ) {}

  /** Opens the conference; resolves once its participants have joined. The first one moderates. */
  static async open(owners: Owner[], nodes: () => VersionNode[]): Promise<ConferenceLoad> {
    const [node] = nodes();
    if (!node) throw new Error("no node runs");
    const peers = new SyntheticPeers({ eager: true });
    const tokens = owners.map(({ token }) => token);
    const conference = await GatewayConference.open(node, tokens, peers, {
      recovers: true,
      media: { kbits: 100, fps: 10 },
    });
    const load = new ConferenceLoad(conference, peers, nodes);
    for (const _owner of owners) await conference.join();
    load.loops.push(load.rename());
    for (const number of conference.participants.keys()) load.loops.push(load.follow(number));
    return load;
  }

  /** Waits until everybody receives everybody, and knows the name that is acknowledged now, or a later one. */
  async proceed(): Promise<void> {
    await eventually(
      () => this.conference.receiveEachOther(),
      (since) => since !== null,
    );
    const from = this.acknowledged + 1;
    await eventually(
      () => this.known(),
      (names) => names.every((name) => name >= from),
    );
  }

  /** Ends the changes. @returns the numbers of the last names: the acknowledged one, and what each participant knows */
  async stop(): Promise<{ acknowledged: number; known: () => number[] }> {
    this.over = true;
    await Promise.all(this.loops);
    return { acknowledged: this.acknowledged, known: () => this.known() };
  }

  /** The names of the participants, as each of them sees them. */
  names(): string[][] {
    return this.numbers().map((number) => this.conference.eventsOf(number)?.names() ?? []);
  }

  /** Types of the events that tell of somebody who was thought to be gone, or of the end of the conference. */
  interruptions(): string[] {
    const types = this.events().map(({ __typename }) => __typename);
    return types.filter((type) => /^Conference(ParticipantLeft|Replaced|Ended)Event$/.test(type));
  }

  /** Names that a participant was told before an earlier one. */
  setBack(): string[] {
    return this.numbers().flatMap((number) => {
      const told = this.namesTold(number);
      return told
        .filter((name, index) => name < (told[index - 1] ?? 0))
        .map((name) => `participant ${number} was told ${name} again`);
    });
  }

  async close(): Promise<void> {
    this.over = true;
    await Promise.all(this.loops);
    await this.conference.abandon();
    await this.peers.close();
  }

  private numbers(): number[] {
    return [...this.conference.participants.keys()];
  }

  private events(): ReceivedEvent[] {
    return this.numbers().flatMap((number) => this.conference.eventsOf(number)?.events ?? []);
  }

  private namesTold(number: number): number[] {
    const events = this.conference.eventsOf(number)?.events ?? [];
    return events.flatMap(({ conference }) => {
      const found = NAME.exec(conference?.name ?? "")?.[1];
      return found === undefined ? [] : [Number(found)];
    });
  }

  /** Number in the last name that each participant was told. */
  private known(): number[] {
    return this.numbers().map((number) => this.namesTold(number).at(-1) ?? 0);
  }

  private randomNode(): VersionNode {
    const nodes = this.nodes();
    return nodes[Math.floor(Math.random() * nodes.length)]!;
  }

  private async rename(): Promise<void> {
    while (!this.over) {
      const next = this.acknowledged + 1;
      const input = { name: `meeting ${next}` };
      await this.attempt(async () => {
        const node = this.randomNode();
        await this.conference.mutate(1, "updateConference", "conference { id }", input, node);
        this.acknowledged = next;
      });
      await wait(PACE_MS);
    }
  }

  private async follow(number: number): Promise<void> {
    while (!this.over) {
      if (this.conference.eventsOf(number)?.isOver()) {
        // A node that refuses the connection is leaving: the next attempt takes another one.
        await this.conference.resume(number, this.randomNode()).catch(() => undefined);
      }
      await wait(PACE_MS);
    }
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    await act().catch((error: Error) => {
      if (!PASSING.test(error.message)) this.failures.push(error.message);
    });
  }
}
