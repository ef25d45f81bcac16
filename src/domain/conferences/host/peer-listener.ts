import type { ConferenceEvent } from "../model/conference-event";
import type { PeerListener } from "../peers/peer";

/** Tells the conference what happens to its peers, and each member what happens to its own. */
export function peerListener({
  onFeed,
  send,
}: Pick<PeerListener, "onFeed"> & { send(event: ConferenceEvent): void }): PeerListener {
  return {
    onFeed,
    onStreams: ({ id, memberId, generation }, streams, offer) =>
      send({
        type: "streams",
        to: { memberId, generation },
        peer: id,
        streams,
        ...(offer !== undefined && { offer }),
      }),
    onEnded: ({ id, memberId, generation }, reason) =>
      send({ type: "peer-closed", to: { memberId, generation }, peer: id, reason }),
  };
}
