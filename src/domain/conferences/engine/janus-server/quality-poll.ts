import { Fault } from "../../../../core/errors";
import type { Log } from "../../../../core/log";
import type { EngineListener } from "../engine";
import { PoorNetworkPolicy } from "../quality/poor-network";
import { VideoRoomConnection } from "./connection/janus-connection";
import { adminEndpoint, type JanusAdmin } from "./connection/janus-options";
import type { JanusPeer } from "./janus-peer";
import type { JanusRoom } from "./janus-room";
import { type PeerCounters, readHandleInfo } from "./stats/handle-info";
import { type PeerStats, statsBetween } from "./stats/peer-stats";
import { verifyAdmin } from "./verify-keys";
import { JanusWatcher } from "./watcher";

/** What the poll knows of one handle. */
interface HandleQuality {
  handle: number;
  counters: PeerCounters;
  policy: PoorNetworkPolicy;
}

/**
 * Reads the statistics of this node's peers from the Admin API of Janus, reports them, and pauses videos on poor networks.
 * One request is in flight at a time, over a connection of its own: without an answer there are no statistics, and
 * conferences continue.
 */
export class QualityPoll {
  private readonly connection: VideoRoomConnection;
  private readonly qualities = new WeakMap<JanusPeer, HandleQuality>();

  constructor(
    admin: JanusAdmin,
    private readonly log: Log,
    private readonly rooms: () => Iterable<JanusRoom>,
    private readonly notify: EngineListener,
  ) {
    this.connection = new VideoRoomConnection(adminEndpoint(admin, log), {
      connected: () => verifyAdmin(this.connection),
      ready: () => log.info("connected to the Admin API of Janus"),
      disconnected: () => undefined,
      message: () => undefined,
    });
  }

  /** Connects, with retries until it succeeds. */
  connect(): void {
    this.connection.connect();
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Reads all peers once. Never rejects. */
  async poll(): Promise<void> {
    for (const room of [...this.rooms()]) {
      for (const peer of [...room.peers.values()]) {
        // Without a connection the rest waits for the next poll.
        if (!this.connection.up) return;
        try {
          await this.read(room, peer);
        } catch (error) {
          // A peer may end at any moment. A Fault means that a server does not answer: the next poll tries again.
          this.log.debug({ err: error }, "the statistics of a peer could not be read");
          if (error instanceof Fault) return;
        }
      }
    }
  }

  private async read(room: JanusRoom, peer: JanusPeer): Promise<void> {
    const { handle } = peer;
    if (handle === undefined || !peer.up || !room.open) return;
    const request = { janus: "handle_info", session_id: room.session.id, handle_id: handle };
    const response: unknown = await this.connection.request(request);
    const direction = peer instanceof JanusWatcher ? "out" : "in";
    const counters = readHandleInfo(response, direction);
    if (!counters || room.peers.get(peer.id) !== peer || peer.handle !== handle) return;
    const last = this.qualities.get(peer);
    const known = last?.handle === handle ? last : undefined;
    const policy = known?.policy ?? new PoorNetworkPolicy();
    this.qualities.set(peer, { handle, counters, policy });
    const stats = known && statsBetween(known.counters, counters, direction);
    if (!stats) return;
    const { statistics } = stats;
    this.notify({ type: "statistics", room: room.room, peer: peer.id, statistics });
    if (peer instanceof JanusWatcher) await adapt(room, peer, policy, stats);
  }
}

/** Pauses and resumes videos. The Admin API does not know what the client estimates that it can receive. */
async function adapt(
  room: JanusRoom,
  watcher: JanusWatcher,
  policy: PoorNetworkPolicy,
  { seconds, statistics, videoLoss }: PeerStats,
): Promise<void> {
  const sent = statistics.audioBitrate + statistics.videoBitrate;
  const report = { videoLoss, estimate: null, sent };
  const paused = policy.update(report, watcher.videos.length, seconds);
  if (await watcher.pauseVideos(paused)) room.changed();
}
