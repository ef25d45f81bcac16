/** Maximum size of an SDP, in bytes of UTF-8. */
export const SDP_MAX = 65_536;

/** Maximum number of participants of a room: an offer to a watching peer has media sections for as many. */
export const ROOM_PARTICIPANTS_MAX = 12;
/** Maximum number of participants who share a screen at a time, for the same reason. */
export const SCREENS_MAX = 2;

/** A media source of a participant: microphone and camera in one peer connection, a shared screen in another. */
export type MediaSource = "main" | "screen";

/** What one publishing peer sends, which others can watch. */
export interface Feed {
  /** Number of the publishing participant: the user's id, or a guest's number. */
  participant: number;
  source: MediaSource;
}

/** A media section (m-line) of a peer connection. */
export interface PeerStream {
  /** `mid` of the media section. */
  mid: string;
  kind: "audio" | "video";
  /** The feed that it carries; null while it carries none. */
  feed: Feed | null;
}

/** A conference as its engine knows it. */
export interface EngineRoom {
  /** Name of the room at the engine: unique among all conferences of the deployment, `[a-z0-9-]+`. */
  room: string;
  /** The application of the conference; rooms without one count as those of one application. */
  application?: number;
  /** Raised whenever the conference moves or its engine restarts; part of every event. */
  generation: number;
  video: boolean;
  /** Cap of each publisher's video, in bits per second. */
  bitrate: number;
}

/** A trickled candidate (RFC 8838), as RTCIceCandidate.toJSON() returns it; an empty `candidate` ends them. */
export interface TrickledCandidate {
  candidate: string;
  sdpMid: string | null;
  sdpMLineIndex: number | null;
}

/** A peer connection to open. */
export interface ConnectRequest {
  room: string;
  generation: number;
  participant: number;
  /** Publishes: the client's offer. Replaces the participant's earlier peer of the same source. */
  publish?: { source: MediaSource; offer: string };
  /**
   * Watches: the feeds to receive. `all` has media sections for every participant of the room, and changes what they
   * carry (`watch` below). It carries no feed whose media does not flow, for example while its publisher restarts; the
   * caller asks again after `up`. The caller closes an earlier one of the participant afterwards; an engine that has no
   * place for both ends it. `one` has exactly those of its single feed, and is never renegotiated: legacy clients open
   * one peer connection for each feed.
   */
  watch?: { feeds: Feed[]; sections: "all" | "one" };
}

/** An opened peer connection. */
export interface ConnectedPeer {
  /** Identifies the peer at this engine; unguessable is not required, since it never authorizes anything. */
  peer: string;
  /**
   * The answer to a publisher's offer, or the offer to a watching client, with all candidates of the engine. Empty for
   * a peer with sections `all` of an engine that cannot offer before there is a feed (Janus); then the response to
   * `watch` has the first offer.
   */
  sdp: string;
  streams: PeerStream[];
}

/** A message to a peer. Exactly one property is set. */
export interface PeerMessage {
  /** The client's answer to the last offer of a watching peer. */
  answer?: string;
  candidate?: TrickledCandidate;
  /** The feeds to receive from now on, of a peer with sections `all`. */
  watch?: Feed[];
  /**
   * Of a publishing peer. `audio` and `video` false drop what the participant sends (a moderator's mute); `bitrate`
   * caps its video in bits per second, below the cap of the room; `keyFrame` requests a key frame.
   */
  publisher?: { audio?: boolean; video?: boolean; bitrate?: number; keyFrame?: boolean };
  /**
   * Of a watching peer, a stream to pause or to receive in another simulcast layer: 0 is the smallest. An engine
   * without layers ignores `layer`.
   */
  stream?: { mid: string; send?: boolean; layer?: number };
  /**
   * Restarts ICE. A publishing client sends its new offer, and gets an answer. A watching client sends none, and gets
   * an offer.
   */
  restart?: { offer?: string };
}

/** The response to a message. */
export interface PeerResponse {
  /**
   * The answer to a publisher's `restart`, or an offer that the watching client must answer. The response to `answer`
   * has another offer if feeds changed while the answer was missing.
   */
  sdp?: string;
  /** All streams of a watching peer after `watch`. */
  streams?: PeerStream[];
  /**
   * True when the client must use a new RTCPeerConnection for `sdp`, because the engine cannot restart ICE on the old
   * one.
   */
  replaced?: boolean;
}

/** What to close. Closing what is gone is no error. */
export type CloseTarget =
  | { room: string }
  /** All peers of a participant. */
  | { room: string; participant: number }
  | { peer: string };

/** Statistics of a peer since its last report, for operators and for the participant itself. */
export interface PeerStatistics {
  /** Bits per second that the engine receives from a publisher, or sends to a watcher. */
  audioBitrate: number;
  videoBitrate: number;
  /** Share of lost packets, 0 to 1. */
  packetLoss: number;
  /** Round trip in milliseconds; null if unknown. */
  roundTripMs: number | null;
}

/** What an engine reports by itself. Events of an older generation of the room are dropped by the receiver. */
export type EngineEvent =
  /** Media flows: ICE and DTLS are connected. Only then others may watch a publisher. */
  | { type: "up"; room: string; peer: string }
  /** The peer connection has ended by itself; its resources are released. */
  | { type: "gone"; room: string; peer: string; reason: string }
  /** Every few seconds while media flows, unless the engine has no statistics (Janus without its Admin API). */
  | { type: "statistics"; room: string; peer: string; statistics: PeerStatistics }
  /** The streams of a watching peer changed by themselves, for example because a feed ended. Pauses are no change. */
  | { type: "streams"; room: string; peer: string; streams: PeerStream[] }
  /**
   * The audio or video of a publishing peer is dropped, since it is beyond its cap, or is forwarded again. An engine
   * that only asks publishers to keep the cap (Janus) reports none.
   * `bitrate`: the cap, in bits per second
   */
  | {
      type: "limited";
      room: string;
      peer: string;
      kind: "audio" | "video";
      dropped: boolean;
      bitrate: number;
    }
  /** The engine has a room no more, and none of its peers; the receiver opens it again. */
  | { type: "room-lost"; room: string; reason: string }
  /** The room has harmed the engine again and again: it has no peers any more, and the receiver ends the conference. */
  | { type: "room-ended"; room: string; reason: string }
  /** The engine has died or does not answer. All rooms and peers of it are lost. */
  | { type: "lost"; reason: string }
  /** The engine answers again, without any room. */
  | { type: "ready" };

/** What an engine needs to resume the peers of a room after a restart of the gateway; JSON. */
export type EngineState = Record<string, unknown>;

/**
 * A selective forwarding unit (SFU). Every method throws Fault: INVALID for an SDP that it cannot use (field `sdp`),
 * NOT_FOUND for an unknown room or peer, or a single feed that does not flow, UNSUPPORTED, UNAVAILABLE while the engine
 * does not answer or has no place. A caller sends one message to a peer at a time.
 */
export interface ConferenceEngine {
  /**
   * Opens a room; idempotent. For an open one of the same generation, `bitrate` is that of participants who publish
   * from now on.
   * @param state what an earlier call returned, to resume its peers if they still exist
   * @returns the state to store, and the peers that were resumed: those whose media flows
   */
  open(room: EngineRoom, state?: EngineState): Promise<{ state: EngineState; resumed: string[] }>;
  connect(request: ConnectRequest): Promise<ConnectedPeer>;
  signal(peer: string, message: PeerMessage): Promise<PeerResponse>;
  close(target: CloseTarget): Promise<void>;
}

/** An open engine: the port, and what its owner on this node needs. */
export interface OpenEngine extends ConferenceEngine {
  /** Name of the engine in the rows of conferences: `embedded` or `janus`. */
  readonly name: string;
  /** Rooms, peers and forwarded tracks at this engine, for /metrics. */
  usage(): { rooms: number; peers: number; tracks: number };
  /** Closes the connections to it, or ends its process. */
  shutdown(): Promise<void>;
}

/** Called for every event of an engine; must not throw or block. */
export type EngineListener = (event: EngineEvent) => void;
