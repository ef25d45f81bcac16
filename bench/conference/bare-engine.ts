import { openLog } from "../../src/core/log";
import { openEmbeddedEngine } from "../../src/domain/conferences/engine/embedded/embedded-engine";
import type { EngineEvent, OpenEngine } from "../../src/domain/conferences/engine/engine";
import { openJanusEngine } from "../../src/domain/conferences/engine/janus-server/janus-engine";
import { Peers } from "../../src/domain/conferences/peers/peers";
import { freeUdpPort } from "../../tools/conferences/free-udp-port";
import { SyntheticParticipant } from "../../tools/conferences/gateway/synthetic-participant";
import { JANUS_KEYS, startJanus } from "../../tools/conferences/janus-server";
import type { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import { pinServer } from "../process-pins";
import { usageOf } from "../process-usage";
import type { BenchConference, EngineName, Subject } from "./subject";

const GENERATION = 1;
/** As conferences have by default. */
const ROOM = { generation: GENERATION, video: true, bitrate: 600_000 };

/** The engine's process, and the adapter to it, which runs in the driver. */
interface RunningEngine {
  engine: OpenEngine;
  pid(): number;
  stop(): Promise<void>;
}

/**
 * Starts an engine without the gateway: the driver calls the adapter, without GraphQL, database, events and access
 * checks. This is the floor, since the engine's work is the same.
 */
export async function startBare(engine: EngineName, peers: SyntheticPeers): Promise<Subject> {
  let onEvent: (event: EngineEvent) => void = () => undefined;
  const listener = (event: EngineEvent) => onEvent(event);
  const running = await (engine === "Janus" ? startBareJanus(listener) : startBareSfu(listener));
  let rooms = 0;
  return {
    engine,
    way: "bare",
    async open() {
      const conference = new BareConference(running.engine, `bench-${++rooms}`, peers);
      onEvent = (event) => conference.onEvent(event);
      await conference.open();
      await pinServer(running.pid());
      return conference;
    },
    usage: () => ({ engine: usageOf(running.pid()) }),
    stop: () => running.stop(),
  };
}

async function startBareJanus(listener: (event: EngineEvent) => void): Promise<RunningEngine> {
  const janus = await startJanus();
  const log = openLog("silent");
  const engine = await openJanusEngine({ url: janus.url, ...JANUS_KEYS, log }, listener);
  return {
    engine,
    pid: () => janus.pid,
    async stop() {
      await engine.shutdown();
      await janus.stop();
    },
  };
}

async function startBareSfu(listener: (event: EngineEvent) => void): Promise<RunningEngine> {
  const engine = openEmbeddedEngine(
    {
      ports: { regular: [await freeUdpPort()], quarantine: [await freeUdpPort()] },
      bindAddress: "127.0.0.1",
      log: openLog("silent"),
    },
    listener,
  );
  return { engine, pid: () => engine.pids[0] ?? 0, stop: () => engine.shutdown() };
}

class BareConference implements BenchConference {
  private readonly participants = new Map<number, SyntheticParticipant>();
  /** The gateway's own code that gives watching peers the current feeds. */
  private readonly connections: Peers;

  constructor(
    private readonly engine: OpenEngine,
    private readonly room: string,
    private readonly peers: SyntheticPeers,
  ) {
    this.connections = new Peers(
      engine,
      () => ({ room, generation: GENERATION }),
      {
        onFeed: () => undefined,
        onStreams: ({ id, number }, _streams, offer) =>
          this.participants.get(number)?.onStreams(id, offer),
        onEnded: ({ number }, reason) => this.participants.get(number)?.onEnded(reason),
      },
      Date.now,
    );
  }

  async open(): Promise<void> {
    await this.engine.open({ room: this.room, ...ROOM });
  }

  onEvent(event: EngineEvent): void {
    if (event.type === "up") this.connections.onUp(event.peer);
    if (event.type === "gone") this.connections.onGone(event.peer, event.reason);
    if (event.type === "streams") this.connections.onStreams(event.peer, event.streams);
    if (event.type === "lost") {
      for (const participant of this.participants.values()) participant.onEnded(event.reason);
    }
  }

  async join(): Promise<SyntheticParticipant> {
    const number = this.participants.size + 1;
    const owner = { participantId: number, number, generation: GENERATION };
    const { connections } = this;
    const participant = new SyntheticParticipant(this.peers, number, {
      publish: async (offer) => ({
        answer: (await connections.publish(owner, "main", offer)).sdp,
      }),
      async watch() {
        const { peer, sdp } = await connections.watch(owner, undefined);
        return { peerId: peer, offer: sdp };
      },
      answer: async (peer, answer) => void (await connections.signal(owner, peer, { answer })),
    });
    this.participants.set(number, participant);
    await participant.open();
    return participant;
  }

  async close(): Promise<void> {
    this.connections.clear();
    await this.engine.close({ room: this.room });
    await Promise.all([...this.participants.values()].map((participant) => participant.close()));
  }
}
