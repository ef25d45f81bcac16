import { setTimeout as wait } from "node:timers/promises";
import { startRedis } from "../../scripts/services/redis-server";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import { GatewayConference } from "../../tools/conferences/gateway/gateway-conference";
import { hostMilliseconds, INTERRUPTED_MS } from "../../tools/conferences/synthetic-media";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import type { BenchmarkRun } from "../benchmark-run";
import { startService } from "../service";

/** Measures how long participants miss each other after a failure: two nodes, and two participants at each. */

/** What fails. The first node hosts the conference. */
export const FAILURES = ["engine killed", "engine hung", "host node killed", "rejoin"] as const;
export type Failure = (typeof FAILURES)[number];

const PARTICIPANTS = 4;
/** The participant of `rejoin`, at the second node. */
const REJOINING = 2;
/** Time in which an interruption begins, if there is one, in milliseconds: longer than a dead node's lease. */
const BEGINS_MS = 8_000;
const TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/** The times of one failure, in milliseconds after it. */
export interface RecoveryFigures {
  engine: string;
  failure: Failure;
  /** Until the others were told that media has stopped; null if they were not. */
  noticed: number | null;
  /** Until the engine answered again, if that did not follow by itself. */
  answered: number;
  /** Until the last participant received the last other one again; 0 without an interruption. */
  back: number;
}

interface Location {
  dataDir: string;
  databaseUrl: string;
}

/** Measures each failure on each engine. @param only text that the name must contain */
export async function measureRecovery(
  run: BenchmarkRun,
  location: Location,
  tokens: string[],
  runs: number,
  only: string,
): Promise<RecoveryFigures[]> {
  const figures: RecoveryFigures[] = [];
  for (const { name, start } of ENGINE_SERVERS) {
    for (const failure of FAILURES) {
      if (!`${name}, ${failure}`.includes(only)) continue;
      for (let count = 0; count < runs; count += 1) {
        figures.push({ engine: name, failure, ...(await measureOnce(start, failure)) });
      }
      console.log(`${name}, ${failure}`);
    }
  }
  return figures;

  /** A failure in a deployment of its own, so that none is the consequence of an earlier one. */
  async function measureOnce(startEngine: () => Promise<EngineServer>, failure: Failure) {
    const engine = await startEngine();
    run.onCleanUp(() => engine.stop());
    const redis = await startRedis();
    run.onCleanUp(() => redis.stop());
    const nodes = [];
    for (let index = 0; index < 2; index += 1) {
      const node = await startService({ ...location, redisUrl: redis.url }, undefined, {
        RTC_PORT: "0",
        ...engine.environment,
      });
      run.onCleanUp(() => node.stop());
      nodes.push({ pid: node.pid, graphqlUrl: `${node.baseUrl}/graphql` });
    }
    const peers = new SyntheticPeers({ eager: true });
    run.onCleanUp(() => peers.close());
    const figures = await new Recovery(engine, nodes as [Node, Node], tokens, peers).measure(
      failure,
    );
    for (let count = 0; count < 5; count += 1) await run.cleanUpLast();
    return figures;
  }
}

interface Node {
  pid: number;
  graphqlUrl: string;
}

class Recovery {
  private failedAt = 0;
  private noticedAt: number | null = null;

  constructor(
    private readonly engine: EngineServer,
    private readonly nodes: [Node, Node],
    private readonly tokens: string[],
    private readonly peers: SyntheticPeers,
  ) {}

  async measure(failure: Failure): Promise<Omit<RecoveryFigures, "engine" | "failure">> {
    const [host, other] = this.nodes;
    const conference = await GatewayConference.open(host, this.tokens, this.peers, {
      recovers: true,
      onEvent: (_participant, { __typename: type, participant }) => {
        if (type !== "ConferenceParticipantUpdatedEvent" || participant.publishing) return;
        if (this.failedAt > 0) this.noticedAt ??= hostMilliseconds();
      },
    });
    for (let number = 1; number <= PARTICIPANTS; number += 1) {
      await conference.join(number, number % 2 === 1 ? host : other);
    }
    await this.settled(conference, 0);
    await wait(2 * INTERRUPTED_MS);
    this.failedAt = hostMilliseconds();
    const answeredAt = await this.fail(failure, conference);
    const backAt = await this.settled(conference, failure === "rejoin" ? 0 : BEGINS_MS);
    await conference.abandon();
    return {
      noticed: this.noticedAt === null ? null : this.noticedAt - this.failedAt,
      answered: answeredAt - this.failedAt,
      back: Math.max(0, backAt - this.failedAt),
    };
  }

  /** @returns when the engine answers again, or when the failure happened */
  private async fail(failure: Failure, conference: GatewayConference): Promise<number> {
    const [host, other] = this.nodes;
    if (failure === "engine killed") await this.engine.kill(host.pid);
    else if (failure === "engine hung") await this.engine.hang(host.pid, () => this.noticed());
    else if (failure === "rejoin") {
      await conference.cut(REJOINING);
      this.failedAt = hostMilliseconds();
      await conference.join(REJOINING, host);
    } else {
      process.kill(host.pid, "SIGKILL");
      for (let number = 1; number <= PARTICIPANTS; number += 2) {
        await conference.cut(number);
        await persistently(() => conference.join(number, other));
      }
    }
    return failure.startsWith("engine") ? hostMilliseconds() : this.failedAt;
  }

  private async noticed(): Promise<void> {
    while (this.noticedAt === null) await wait(LOOK_MS);
  }

  /**
   * Waits until everybody receives everybody.
   * @param beginsMs time in which an interruption may begin
   * @returns when the last interruption ended
   */
  private async settled(conference: GatewayConference, beginsMs: number): Promise<number> {
    const startedAt = hostMilliseconds();
    let interrupted = false;
    for (;;) {
      const now = hostMilliseconds();
      if (now > startedAt + TIMEOUT_MS)
        throw new Error("participants do not receive each other again");
      const backAt = await conference.receiveEachOther();
      if (backAt === null) interrupted = true;
      else if (interrupted || now > startedAt + beginsMs) return backAt;
      await wait(LOOK_MS);
    }
  }
}

/** Repeats what fails while no node hosts the conference. */
async function persistently<T>(act: () => Promise<T>): Promise<T> {
  const giveUpAt = hostMilliseconds() + TIMEOUT_MS;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (hostMilliseconds() > giveUpAt) throw error;
      await wait(LOOK_MS);
    }
  }
}
