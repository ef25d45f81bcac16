import { Fault } from "../../../src/core/errors";
import {
  type CloseTarget,
  type ConnectedPeer,
  type ConnectRequest,
  type EngineEvent,
  type EngineListener,
  type EngineRoom,
  type Feed,
  type OpenEngine,
  type PeerMessage,
  type PeerResponse,
  type PeerStatistics,
  type PeerStream,
  ROOM_PARTICIPANTS_MAX,
  SCREENS_MAX,
} from "../../../src/domain/conferences/engine/engine";

interface FakePeer {
  id: string;
  room: string;
  participant: number;
  up: boolean;
  /** Of a publisher. */
  feed?: Feed;
  kinds: Array<"audio" | "video">;
  settings: NonNullable<PeerMessage["publisher"]>;
  /** Of a watcher: the feed of each pair of sections. */
  pairs: Array<Feed | null>;
  paused: Set<string>;
}

/** Pairs of sections of a watcher of all. */
const PAIRS_MAX = ROOM_PARTICIPANTS_MAX + SCREENS_MAX;

const keyOf = ({ participant, source }: Feed) => `${participant}/${source}`;
const notFound = (what: string) => new Fault("NOT_FOUND", `The ${what} does not exist`);

/** An offer or answer for the fake: an SDP without any network. */
export function fakeSdp(kinds: Array<"audio" | "video">, note = ""): string {
  const sections = kinds.map((kind, mid) => `m=${kind} 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:${mid}`);
  const lines = ["v=0", "s=-", `i=${note}`, `a=fingerprint:sha-256 ${"00:".repeat(31)}00`];
  return `${[...lines, ...sections].join("\r\n")}\r\n`;
}

function kindsOf(sdp: string): Array<"audio" | "video"> {
  if (sdp.length > 65_536) {
    throw new Fault("TOO_LARGE", "sdp is too large", { sdp: ["is too large"] });
  }
  if (!sdp.startsWith("v=0")) throw Fault.field("sdp", "does not begin with v=0");
  if (!sdp.includes("a=fingerprint:")) throw Fault.field("sdp", "has no a=fingerprint");
  const kinds = [...sdp.matchAll(/^m=(\w+) /gm)].map(([, kind]) => kind);
  if (kinds.length === 0) throw Fault.field("sdp", "has no media section");
  if (new Set(kinds).size < kinds.length) throw Fault.field("sdp", "has more than one section");
  return kinds.filter((kind) => kind === "audio" || kind === "video");
}

/**
 * An engine in memory, without media. Nothing happens by itself: tests call {@link connected}, {@link fail},
 * {@link report}, {@link lose} and {@link recover}. Events are emitted synchronously.
 */
export class FakeEngine implements OpenEngine {
  readonly name = "fake";
  /** Every accepted call, in order. */
  readonly calls: unknown[][] = [];
  private readonly rooms = new Map<string, EngineRoom>();
  private readonly peers = new Map<string, FakePeer>();
  private isLost = false;
  private next = 1;

  constructor(private readonly listener: EngineListener) {}

  async open(room: EngineRoom): Promise<{ state: Record<string, unknown>; resumed: string[] }> {
    this.begin("open", room);
    const open = this.rooms.get(room.room);
    if (open && open.generation > room.generation) throw notFound("room");
    if (open && open.generation < room.generation)
      this.remove(({ room: name }) => name === room.room);
    this.rooms.set(room.room, room);
    return { state: {}, resumed: this.of(room.room).map(({ id }) => id) };
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    this.begin("connect", request);
    const room = this.rooms.get(request.room);
    if (!room || room.generation !== request.generation) throw notFound("room");
    const peer: FakePeer = {
      id: `fake-${this.next++}`,
      room: request.room,
      participant: request.participant,
      up: false,
      kinds: [],
      settings: {},
      pairs: [],
      paused: new Set(),
    };
    if (request.publish) {
      const { source, offer } = request.publish;
      const feed = { participant: request.participant, source };
      peer.kinds = kindsOf(offer);
      peer.feed = feed;
      peer.settings.bitrate = room.bitrate;
      const earlier = this.publisher(peer.room, feed);
      if (earlier) this.peers.delete(earlier.id);
      this.peers.set(peer.id, peer);
      if (earlier) this.tell((each) => each.pairs.some((one) => one && keyOf(one) === keyOf(feed)));
      const streams = peer.kinds.map((kind, mid) => ({ mid: String(mid), kind, feed }));
      return { peer: peer.id, sdp: fakeSdp(peer.kinds, peer.id), streams };
    }
    const { feeds, sections } = request.watch ?? { feeds: [], sections: "all" };
    if (sections === "one" && feeds.length !== 1) throw Fault.field("feeds", "must have one feed");
    const flowing = this.flowing(peer.room, feeds);
    if (sections === "one" && flowing.length === 0) throw notFound("feed");
    peer.pairs = Array.from({ length: sections === "one" ? 1 : PAIRS_MAX }, () => null);
    this.assign(peer, flowing);
    this.peers.set(peer.id, peer);
    return {
      peer: peer.id,
      sdp: fakeSdp(["audio", "video"], peer.id),
      streams: this.streams(peer),
    };
  }

  async signal(id: string, message: PeerMessage): Promise<PeerResponse> {
    this.begin("signal", id, message);
    const peer = this.peers.get(id);
    if (!peer) throw notFound("peer");
    if (message.answer !== undefined) kindsOf(message.answer);
    if (message.publisher) this.configure(peer, message.publisher);
    if (message.watch) {
      this.assign(peer, this.flowing(peer.room, message.watch));
      return { streams: this.streams(peer) };
    }
    if (message.stream) {
      const { mid, send } = message.stream;
      if (!this.streams(peer).some((stream) => stream.mid === mid)) throw notFound("stream");
      if (send === false) peer.paused.add(mid);
      if (send === true) peer.paused.delete(mid);
    }
    if (!message.restart) return {};
    if (peer.feed) peer.kinds = kindsOf(message.restart.offer ?? "");
    peer.up = false;
    const sdp = fakeSdp(peer.feed ? peer.kinds : ["audio", "video"], id);
    return { sdp, replaced: true, ...(!peer.feed && { streams: this.streams(peer) }) };
  }

  async close(target: CloseTarget): Promise<void> {
    if (this.isLost) return;
    this.begin("close", target);
    if ("peer" in target) this.remove(({ id }) => id === target.peer);
    else if ("participant" in target) {
      this.remove(
        ({ room, participant }) => room === target.room && participant === target.participant,
      );
    } else {
      this.remove(({ room }) => room === target.room);
      this.rooms.delete(target.room);
    }
  }

  usage(): { rooms: number; peers: number; tracks: number } {
    const tracks = [...this.peers.values()].flatMap((peer) =>
      this.streams(peer).filter(({ feed }) => feed !== null),
    );
    return { rooms: this.rooms.size, peers: this.peers.size, tracks: tracks.length };
  }

  async shutdown(): Promise<void> {
    this.isLost = true;
    this.rooms.clear();
    this.peers.clear();
  }

  /** The media of a peer flows. */
  connected(id: string): void {
    const peer = this.peers.get(id);
    if (!peer || peer.up) return;
    peer.up = true;
    this.listener({ type: "up", room: peer.room, peer: id });
  }

  /** A peer ends by itself. */
  fail(id: string, reason = "failed"): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.peers.delete(id);
    this.listener({ type: "gone", room: peer.room, peer: id, reason });
    this.freeSections();
  }

  /** Reports statistics of a peer. */
  report(id: string, statistics: PeerStatistics): void {
    const peer = this.peers.get(id);
    if (peer) this.listener({ type: "statistics", room: peer.room, peer: id, statistics });
  }

  /** The engine dies. */
  lose(reason = "killed"): void {
    if (this.isLost) return;
    this.isLost = true;
    this.rooms.clear();
    this.peers.clear();
    this.listener({ type: "lost", reason });
  }

  /** The engine answers again, without any room. */
  recover(): void {
    if (!this.isLost) return;
    this.isLost = false;
    this.listener({ type: "ready" });
  }

  /** The settings of a publisher and the paused sections of a watcher. */
  stateOf(id: string): Pick<FakePeer, "settings" | "paused"> | undefined {
    return this.peers.get(id);
  }

  /** Ids of the peers of a room. */
  peersOf(room: string): string[] {
    return this.of(room).map(({ id }) => id);
  }

  private begin(...call: unknown[]): void {
    if (this.isLost) throw new Fault("UNAVAILABLE", "The engine does not answer", undefined, 1);
    this.calls.push(call);
  }

  private configure(peer: FakePeer, settings: FakePeer["settings"]): void {
    const { bitrate: cap = 0 } = this.rooms.get(peer.room) ?? {};
    const bitrate = Math.min(settings.bitrate ?? peer.settings.bitrate ?? cap, cap);
    Object.assign(peer.settings, settings, { bitrate });
  }

  private of(room: string): FakePeer[] {
    return [...this.peers.values()].filter((peer) => peer.room === room);
  }

  private publisher(room: string, feed: Feed): FakePeer | undefined {
    return this.of(room).find((peer) => peer.feed && keyOf(peer.feed) === keyOf(feed));
  }

  private flowing(room: string, feeds: Feed[]): Feed[] {
    return feeds.filter((feed) => this.publisher(room, feed)?.up);
  }

  private assign(peer: FakePeer, feeds: Feed[]): void {
    const wanted = new Map(feeds.map((feed) => [keyOf(feed), feed]));
    const pairs = peer.pairs.map((feed) => (feed && wanted.delete(keyOf(feed)) ? feed : null));
    for (const feed of wanted.values()) {
      const free = pairs.indexOf(null);
      if (free < 0) throw Fault.field("feeds", "are more than a conference can have");
      pairs[free] = feed;
    }
    peer.pairs = pairs;
  }

  private streams(peer: FakePeer): PeerStream[] {
    return peer.pairs.flatMap((feed, index) => {
      const kinds = feed ? this.publisher(peer.room, feed)?.kinds : undefined;
      return (["audio", "video"] as const).map((kind, offset) => {
        const mid = String(2 * index + offset);
        return { mid, kind, feed: kinds?.includes(kind) ? feed : null };
      });
    });
  }

  private remove(which: (peer: FakePeer) => boolean): void {
    for (const peer of [...this.peers.values()].filter(which)) this.peers.delete(peer.id);
    this.freeSections();
  }

  private freeSections(): void {
    this.tell((peer) => {
      const before = peer.pairs;
      peer.pairs = before.map((feed) => (feed && this.publisher(peer.room, feed) ? feed : null));
      return before.some((feed, index) => feed !== peer.pairs[index]);
    });
  }

  private tell(changed: (peer: FakePeer) => boolean): void {
    for (const peer of [...this.peers.values()].filter((each) => !each.feed)) {
      if (!changed(peer)) continue;
      const event: EngineEvent = {
        type: "streams",
        room: peer.room,
        peer: peer.id,
        streams: this.streams(peer),
      };
      this.listener(event);
    }
  }
}
