import { openLog } from "../../../src/core/log";
import {
  type EmbeddedOptions,
  openEmbeddedEngine,
} from "../../../src/domain/conferences/engine/embedded/embedded-engine";
import type { EngineEvent, OpenEngine } from "../../../src/domain/conferences/engine/engine";
import { openJanusEngine } from "../../../src/domain/conferences/engine/janus-server/janus-engine";
import { freeUdpPorts } from "../../../tools/conferences/free-udp-port";
import { JANUS_KEYS, startJanus } from "../../../tools/conferences/janus-server";
import {
  type SyntheticMedia,
  SyntheticPeers,
  type SyntheticPublisher,
  type SyntheticWatcher,
} from "../../../tools/conferences/synthetic-peer";
import { hasServices } from "../operations/database";
import { FakeEngine, fakeSdp } from "./fake-engine";

/** A publishing client; `media` is null at an engine without media. */
export interface PublishingClient {
  offer: string;
  accept(peer: string, answer: string): Promise<void>;
  /** The bitrate that the engine allows for its video, in bits per second; 0 if none is known yet. */
  bitrate(peer: string): Promise<number>;
  media: SyntheticPublisher | null;
}

/** A watching client; `media` is null at an engine without media. */
export interface WatchingClient {
  answer: string;
  /** Called once the engine has the answer. */
  answered(peer: string): Promise<void>;
  /** Answers a later offer on the same peer connection. */
  renegotiate(offer: string): Promise<string>;
  media: SyntheticWatcher | null;
}

/** An engine with clients, for the suite that all engines pass. */
export interface EngineFixture {
  engine: OpenEngine;
  /** Every event so far. */
  events: EngineEvent[];
  publish(media: SyntheticMedia): Promise<PublishingClient>;
  watch(offer: string): Promise<WatchingClient>;
  /** Ends the engine as a crash does. */
  kill(): Promise<void> | void;
  /** Stops the engine so that it does not answer. */
  hang(): Promise<void> | void;
  /** Lets it come back, if it does not do so by itself. */
  recover(): Promise<void> | void;
  stop(): Promise<void>;
}

/** An engine of the table. */
export interface EngineRow {
  name: string;
  /** Whether packets flow, so that tests can count them. */
  media: boolean;
  /**
   * Whether a watching peer is negotiated again whenever its feeds change, and so has no offer before its first feed.
   * Such an engine restarts ICE on the same peer connection, and watchers of a publisher that was replaced watch again.
   */
  renegotiates: boolean;
  /** Whether it is lost as a whole, then ready; otherwise it reports each lost room, which may open again at once. */
  whole: boolean;
  start(): Promise<EngineFixture>;
}

async function startFake(): Promise<EngineFixture> {
  const events: EngineEvent[] = [];
  const engine = new FakeEngine((event) => events.push(event));
  return {
    engine,
    events,
    async publish({ kbits = 300, audio = true, data = false }) {
      const kinds = [
        ...(audio ? ["audio" as const] : []),
        ...(kbits > 0 ? ["video" as const] : []),
      ];
      const offer = `${fakeSdp(kinds)}${data ? "m=application 9 UDP/DTLS/SCTP x\r\n" : ""}`;
      return {
        offer,
        accept: async (peer) => engine.connected(peer),
        bitrate: async (peer) => engine.stateOf(peer)?.settings.bitrate ?? 0,
        media: null,
      };
    },
    async watch() {
      const answer = fakeSdp(["audio", "video"]);
      return {
        answer,
        answered: async (peer) => engine.connected(peer),
        renegotiate: async () => answer,
        media: null,
      };
    },
    kill: () => engine.lose("killed"),
    hang: () => engine.lose("does not answer"),
    recover: () => engine.recover(),
    stop: () => engine.shutdown(),
  };
}

/** How an embedded engine of a test differs: the first port, and the number of processes for rooms. */
export interface EmbeddedFixtureOptions extends Partial<Omit<EmbeddedOptions, "ports">> {
  port?: number;
  processes?: number;
}

/** Starts the embedded engine on free ports, with synthetic clients. */
export async function startEmbedded({
  port: first,
  processes = 1,
  ...options
}: EmbeddedFixtureOptions = {}) {
  const events: EngineEvent[] = [];
  const [port = 0, ...others] = await freeUdpPorts(processes + 2).then((free) =>
    first === undefined ? free : [first, ...free.slice(1)],
  );
  const regular = [port, ...others.slice(0, processes - 1)];
  const ports = { regular, quarantine: others.slice(processes - 1) };
  const engine = openEmbeddedEngine(
    { ports, bindAddress: "127.0.0.1", log: openLog("silent"), ...options },
    (event) => events.push(event),
  );
  const peers = new SyntheticPeers();
  const clients = clientsOf(peers);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of engine.pids) process.kill(pid, name);
  };
  return {
    engine,
    events,
    peers,
    port,
    ports,
    ...clients,
    kill: () => signal("SIGKILL"),
    hang: () => signal("SIGSTOP"),
    recover: () => {},
    async stop() {
      await engine.shutdown();
      await peers.close();
    },
  };
}

/** Clients without a browser. */
function clientsOf(peers: SyntheticPeers) {
  return {
    async publish(media: SyntheticMedia) {
      const client = await peers.publish(media);
      const accept = (_peer: string, answer: string) => client.accept(answer);
      const bitrate = async () => (await client.report()).bitrate;
      return { offer: client.offer, accept, bitrate, media: client };
    },
    async watch(offer: string) {
      const client = await peers.watch(offer);
      return {
        answer: client.answer,
        answered: () => client.connect(),
        renegotiate: (next: string) => client.renegotiate(next),
        media: client,
      };
    },
  };
}

/** Starts a real Janus with an engine on it, and synthetic clients. */
export async function startJanusEngine() {
  const janus = await startJanus();
  const events: EngineEvent[] = [];
  const engine = await openJanusEngine(
    { url: janus.url, ...JANUS_KEYS, log: openLog("silent") },
    (event) => events.push(event),
  );
  const peers = new SyntheticPeers({});
  let killed = false;
  return {
    engine,
    events,
    peers,
    ...clientsOf(peers),
    async kill() {
      killed = true;
      await janus.signal("SIGKILL");
    },
    hang: () => janus.signal("SIGSTOP"),
    recover: () => (killed ? janus.start() : janus.signal("SIGCONT")),
    async stop() {
      await engine.shutdown();
      await peers.close();
      await janus.stop();
    },
  };
}

/** The engines that the contract is tested with: Janus where services run, the others where none do. */
export const ENGINES: EngineRow[] = hasServices
  ? [{ name: "janus", media: true, renegotiates: true, whole: true, start: startJanusEngine }]
  : [
      { name: "fake", media: false, renegotiates: false, whole: true, start: startFake },
      {
        name: "embedded",
        media: true,
        renegotiates: false,
        whole: false,
        start: () => startEmbedded(),
      },
    ];
