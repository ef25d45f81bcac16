import type { TrickledCandidate } from "../../../domain/conferences/engine/engine";
import { JanusError, toJanusError } from "../protocol/janus-error";
import type { Jsep } from "../protocol/requests";
import type { RoomRequest } from "../protocol/room-requests";
import { Candidates } from "./candidates";
import type { Answer, HandleRole, HandleSession } from "./handle-role";
import type { Membership } from "./membership";
import type { RoleHandle } from "./publisher";

/** A request to listen to one feed. */
export type ListenerJoin = Extract<RoomRequest, { as: "listener" }>;

/**
 * Opens a peer connection for one feed of the room that the session has joined.
 * @throws JanusError 424 before the session has joined, 426 for another room, 428 for a feed that no participant of
 * this room publishes, 433; Fault
 */
export async function joinAsListener(
  session: HandleSession,
  handle: RoleHandle,
  request: ListenerJoin,
  answer: Answer,
): Promise<FeedListener> {
  const { membership, service } = session;
  if (!membership) throw new JanusError(424, "Join the room as a publisher first");
  membership.requireActive();
  membership.requireRoom(request.room);
  const { feed: number } = request;
  const missing = new JanusError(428, `No such feed (${number})`);
  if (!membership.view.isPublishing(number)) throw missing;
  const { ref, room, view } = membership;
  const opened = await service
    .watch(ref, { participant: number, source: "main" })
    .catch((error) => {
      throw isNotFound(error) ? missing : error;
    });
  const listener = new FeedListener(session, handle, membership, opened.peer);
  if (session.closed || handle.closed || !membership.active) {
    await listener.close();
    throw new JanusError(459, "The handle was detached");
  }
  answer.event(
    { videoroom: "attached", room, id: number, display: view.nameOf(number) ?? "" },
    { type: "offer", sdp: opened.sdp },
  );
  listener.start();
  return listener;
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && toJanusError(error).counted === "NOT_FOUND";
}

/** A handle that listens to one feed, over one peer connection. */
export class FeedListener implements HandleRole {
  private readonly candidates = new Candidates();
  private peer: string | null;
  private answered = false;

  constructor(
    private readonly session: HandleSession,
    private readonly handle: RoleHandle,
    private readonly membership: Membership,
    peer: string,
  ) {
    this.peer = peer;
  }

  /** Reports when the feed or the peer connection ends. */
  start(): void {
    const { peer } = this;
    if (peer !== null) this.membership.watchPeer(peer, (reason) => this.peerClosed(reason));
  }

  async request(request: RoomRequest, jsep: Jsep | null, answer: Answer): Promise<void> {
    if (request.request === "join")
      throw new JanusError(425, "Already in as a subscriber on this handle");
    this.membership.requireActive();
    this.membership.requireRoom(request.room);
    const { room } = this.membership;
    switch (request.request) {
      case "start":
        if (jsep) await this.answer(jsep);
        return answer.event({ videoroom: "event", room, started: "ok" });
      case "leave":
        await this.hangup();
        return answer.event({ videoroom: "event", room, left: "ok" });
      default:
        throw new JanusError(403, "This request is not allowed for a listener");
    }
  }

  async trickle(candidate: TrickledCandidate): Promise<void> {
    if (this.membership.active && this.peer !== null) await this.candidates.add(candidate);
  }

  async hangup(): Promise<void> {
    const { peer, membership } = this;
    if (peer === null) return;
    this.forgetPeer();
    if (membership.active) await this.session.service.closePeer(membership.ref, peer);
  }

  close(): Promise<void> {
    return this.hangup();
  }

  private async answer({ type, sdp }: Jsep): Promise<void> {
    if (type !== "answer")
      throw new JanusError(431, "Invalid SDP type: a listener sends an answer");
    const { service } = this.session;
    const { ref } = this.membership;
    const { peer } = this;
    if (peer === null) throw new JanusError(428, "The feed has ended");
    if (this.answered) throw new JanusError(469, "Unexpected answer");
    await service.signal(ref, peer, { answer: sdp });
    this.answered = true;
    await this.candidates.open(async (candidate) => {
      await service.signal(ref, peer, { candidate });
    });
  }

  private peerClosed(reason: string): void {
    if (this.peer === null) return;
    this.forgetPeer();
    const { id: session_id } = this.session;
    this.session.emit({ janus: "hangup", session_id, sender: this.handle.id, reason });
  }

  private forgetPeer(): void {
    if (this.peer !== null) this.membership.unwatchPeer(this.peer);
    this.peer = null;
    this.candidates.close();
  }
}
