import type { Feed, MediaSource, PeerStatistics, PeerStream } from "../engine/engine";

/** A peer connection of a participant at the engine. JSON, since it is stored to be resumed. */
export interface Peer {
  id: string;
  participantId: number;
  number: number;
  /** Generation of the membership that opened it. */
  generation: number;
  /** What it publishes; absent for a watching peer. */
  source?: MediaSource;
  /** The only feed that it watches; absent for all feeds. */
  feed?: Feed;
  /** Whether its media flows. */
  up: boolean;
}

/** Whose peer it is. */
export type PeerOwner = Pick<Peer, "participantId" | "number" | "generation">;

/** What the engine has last reported of a peer; JSON. */
export interface ParticipantStats {
  participantId: number;
  /** What it publishes; null for a watching peer. */
  source: MediaSource | null;
  statistics: PeerStatistics;
}

/** What is muted (true) or unmuted (false); absent for unchanged. */
export interface MuteChange {
  audio?: boolean;
  video?: boolean;
}

/** What the owner of the peers of a conference does when they change. */
export interface PeerListener {
  /** A participant's feed begins or ends. */
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void;
  /** A watching peer carries other streams; with an offer, its client must answer. */
  onStreams(peer: Peer, streams: PeerStream[], offer: string | undefined): void;
  /** A peer has ended by itself. */
  onEnded(peer: Peer, reason: string): void;
}

/** Whether a watching peer is for the same: one feed, or all. */
export function watchesSame(peer: Peer, feed: Feed | undefined): boolean {
  return feed ? peer.feed !== undefined && isSameFeed(peer.feed, feed) : peer.feed === undefined;
}

/** Whether two feeds are the same. */
export function isSameFeed(a: Feed, b: Feed): boolean {
  return a.participant === b.participant && a.source === b.source;
}
