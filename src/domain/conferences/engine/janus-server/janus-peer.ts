import type { ConnectedPeer, PeerMessage, PeerResponse, PeerStream } from "../engine";
import type { PeerRecord } from "./room-record";

/** A peer connection at Janus. Its methods throw VideoRoomError or Fault. */
export interface JanusPeer {
  readonly id: string;
  readonly participant: number;
  /** Its handle at Janus; undefined while a watching peer has no feed yet. */
  readonly handle: number | undefined;
  /** Whether its media flows. */
  up: boolean;
  signal(message: PeerMessage): Promise<PeerResponse>;
  /** What a node needs to resume it; undefined while there is nothing to resume. */
  record(): PeerRecord | undefined;
}

/** An opened peer with the response to its client. */
export interface OpenedPeer<Peer extends JanusPeer> {
  peer: Peer;
  connected: ConnectedPeer;
}

/** A stream as a record holds it. */
export const streamRecord = (stream: Pick<PeerStream, "mid" | "kind">, feed: string | null) =>
  [stream.mid, stream.kind, feed] as PeerRecord["streams"][number];
