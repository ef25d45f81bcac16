import { Fault } from "../../../../core/errors";
import { newId } from "../../../../core/random";
import type { Feed, PeerMessage, PeerResponse, PeerStream } from "../engine";
import { isJanusError, JANUS_CODE, unusableSdp } from "./connection/janus-faults";
import type { JanusStream } from "./connection/janus-messages";
import type { VideoRoomSession } from "./connection/janus-session";
import { feedIdOf } from "./feed-id";
import { type JanusPeer, type OpenedPeer, streamRecord } from "./janus-peer";
import { fingerprintOf, offerFor } from "./offered-sdp";
import type { PeerRecord } from "./room-record";

/** What a publisher needs of its room. */
export interface PublisherRoom {
  readonly room: string;
  readonly video: boolean;
  /** Cap of a publisher's video, in bits per second. Janus itself does not hold publishers to it (`bitrate_cap`). */
  readonly bitrate: number;
  readonly session: VideoRoomSession;
  /** Opens another handle for a peer in place of its last one. */
  reattach(peer: JanusPublisher): Promise<number>;
  /** Removes the participant with the id at Janus. */
  kick(feedId: string): Promise<void>;
  /** Drops what a participant sends in a media section, or no longer. */
  moderate(feedId: string, mid: string, mute: boolean): Promise<void>;
}

const BITRATE_MIN = 10_000;
/** Least time between two requests of a key frame, in milliseconds. */
const KEY_FRAME_MS = 300;
/** Attempts to join until the participant that had the id has left. */
const JOIN_ATTEMPTS = 3;

/** A publishing peer: a participant of the room whose id is the id of its feed. */
export class JanusPublisher implements JanusPeer {
  up = false;

  /** What the last offer was answered with. */
  streams: PeerStream[] = [];
  private fingerprint = "";
  /** Whether a key frame was requested within {@link KEY_FRAME_MS}, and whether it was wanted again since. */
  private keyFrame = { requested: false, again: false };

  private constructor(
    readonly id: string,
    readonly feed: Feed,
    public handle: number,
    private readonly room: PublisherRoom,
  ) {}

  get participant(): number {
    return this.feed.participant;
  }

  get feedId(): string {
    return feedIdOf(this.feed);
  }

  /** Joins and publishes on an attached handle. */
  static async open(
    room: PublisherRoom,
    handle: number,
    feed: Feed,
    offer: string,
  ): Promise<OpenedPeer<JanusPublisher>> {
    const peer = new JanusPublisher(newId(), feed, handle, room);
    const sdp = await peer.join(offer);
    return { peer, connected: { peer: peer.id, sdp, streams: peer.streams } };
  }

  /** Resumes a publisher whose media is up. */
  static resume(room: PublisherRoom, record: PeerRecord, source: Feed["source"]): JanusPublisher {
    const feed = { participant: record.participant, source };
    const peer = new JanusPublisher(record.peer, feed, record.handle, room);
    peer.streams = record.streams.map(([mid, kind, id]) => ({ mid, kind, feed: id ? feed : null }));
    peer.fingerprint = record.fingerprint ?? "";
    peer.up = true;
    return peer;
  }

  async signal(message: PeerMessage): Promise<PeerResponse> {
    const { candidate, publisher, restart } = message;
    // The client's checks show its address.
    if (candidate) return {};
    if (publisher) await this.configure(publisher);
    else if (restart) return this.restart(restart.offer);
    else throw new Fault("UNSUPPORTED", "A publishing peer does not take this message");
    return {};
  }

  /** Requests a key frame of the client for a watcher that has just begun; many at once are one request. */
  requestKeyFrame(): void {
    if (this.keyFrame.requested) {
      this.keyFrame.again = true;
      return;
    }
    this.keyFrame = { requested: true, again: false };
    const body = { request: "configure", keyframe: true };
    // A publisher that has ended needs none.
    this.room.session.send(this.handle, body).catch(() => undefined);
    setTimeout(() => {
      const { again } = this.keyFrame;
      this.keyFrame = { requested: false, again: false };
      if (again) this.requestKeyFrame();
    }, KEY_FRAME_MS).unref();
  }

  record(): PeerRecord {
    const { id, handle, participant, feed, fingerprint } = this;
    const streams = this.streams.map((each) => streamRecord(each, each.feed && this.feedId));
    return { peer: id, handle, participant, source: feed.source, fingerprint, streams };
  }

  private async configure(change: NonNullable<PeerMessage["publisher"]>): Promise<void> {
    for (const kind of ["audio", "video"] as const) {
      const send = change[kind];
      if (send === undefined) continue;
      for (const { mid } of this.streams.filter((each) => each.kind === kind && each.feed)) {
        await this.room.moderate(this.feedId, mid, !send);
      }
    }
    const { bitrate, keyFrame } = change;
    if (bitrate === undefined && !keyFrame) return;
    if (bitrate !== undefined && !(Number.isInteger(bitrate) && bitrate >= BITRATE_MIN)) {
      throw Fault.field("bitrate", `must be a whole number from ${BITRATE_MIN}`);
    }
    const capped = bitrate && Math.min(bitrate, this.room.bitrate);
    const body = { request: "configure", bitrate: capped, keyframe: keyFrame };
    await this.room.session.send(this.handle, body);
  }

  /** Restarts ICE; an offer of another peer connection of the client is answered by another one of Janus. */
  private async restart(offer: string | undefined): Promise<PeerResponse> {
    if (offer === undefined) throw Fault.field("offer", "is required of a publishing peer");
    const sdp = offerFor(this.room, offer);
    if (fingerprintOf(sdp) !== this.fingerprint) {
      this.up = false;
      this.handle = await this.room.reattach(this);
      return { sdp: await this.join(offer), replaced: true };
    }
    const jsep = { type: "offer" as const, sdp };
    const response = await this.room.session.send(this.handle, { request: "configure" }, jsep);
    if (response.jsep?.type !== "answer") throw unusableSdp();
    return { sdp: response.jsep.sdp };
  }

  /** Joins and publishes on the handle. @returns the answer */
  private async join(offer: string): Promise<string> {
    const sdp = offerFor(this.room, offer);
    const jsep = { type: "offer" as const, sdp };
    const id = this.feedId;
    const body = { request: "joinandconfigure", ptype: "publisher", room: this.room.room, id };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.room.session.send(this.handle, body, jsep);
        if (response.jsep?.type !== "answer") throw unusableSdp();
        const streams = response.data.streams ?? [];
        this.streams = streams.flatMap((each) => publishedStream(each, this.feed));
        this.fingerprint = fingerprintOf(sdp);
        return response.jsep.sdp;
      } catch (error) {
        if (!isJanusError(error, JANUS_CODE.idExists) || attempt === JOIN_ATTEMPTS) throw error;
        await this.room.kick(id);
      }
    }
  }
}

function publishedStream({ mid, type, disabled }: JanusStream, feed: Feed): PeerStream[] {
  if (mid === undefined || (type !== "audio" && type !== "video")) return [];
  return [{ mid, kind: type, feed: disabled ? null : feed }];
}
