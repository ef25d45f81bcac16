import { toFault } from "../../../core/errors";
import type { TrickledCandidate } from "../../../domain/conferences/engine/engine";
import type { JoinedConference } from "../../../domain/conferences/model/conference-service";
import { eventFrame } from "../protocol/frames";
import { type FaultMeaning, JanusError, toJanusError } from "../protocol/janus-error";
import type { Jsep } from "../protocol/requests";
import type { RoomRequest } from "../protocol/room-requests";
import { Candidates } from "./candidates";
import type { Answer, HandleRole, HandleSession } from "./handle-role";
import { Membership } from "./membership";
import { listedParticipant } from "./room-view";

/** A request to join as a publisher. */
export type PublisherJoin = Extract<RoomRequest, { as: "publisher" }>;

/** The handle of a session as its role sees it. */
export interface RoleHandle {
  readonly id: number;
  /** Whether it was detached. */
  readonly closed: boolean;
}

/**
 * Joins the session to a room. The room is created if the application allows that.
 * @throws JanusError 433 for the id of another user, a replaced device or a refusal, 436 for a second publisher of
 *   the session, 426, 432; Fault
 */
export async function joinAsPublisher(
  session: HandleSession,
  handle: RoleHandle,
  request: PublisherJoin,
  answer: Answer,
): Promise<Publisher> {
  const { identity } = session;
  if (request.id !== undefined && request.id !== identity.number) {
    throw new JanusError(433, "Unauthorized: the id must be that of the session's user");
  }
  session.membership?.requireActive();
  if (session.joining || session.membership) {
    throw new JanusError(436, `User ID ${identity.number} already exists`);
  }
  session.joining = true;
  try {
    const membership = await openMembership(session, handle, request);
    session.membership = membership;
    const { conference, room, view } = membership;
    const participants = view.join(membership.joined.participants);
    answer.event({
      videoroom: "joined",
      room,
      description: conference.name,
      id: identity.number,
      ...participants,
    });
    membership.start();
    return new Publisher(session, handle, membership);
  } finally {
    session.joining = false;
  }
}

async function openMembership(
  session: HandleSession,
  handle: RoleHandle,
  { room }: PublisherJoin,
): Promise<Membership> {
  const { service, identity } = session;
  const meaning: FaultMeaning = { notFound: new JanusError(426, "No such room") };
  let joined: JoinedConference;
  try {
    const conference = await service.openByName(identity, String(room));
    meaning.seats = conference.seats;
    joined = await service.join(identity, conference.id, { legacy: true });
  } catch (error) {
    throw clientError(error, meaning);
  }
  const membership = new Membership(service, joined, room, {
    event: (data) => session.emit(eventFrame({ session_id: session.id }, handle.id, data)),
    up: () => session.emit({ janus: "webrtcup", session_id: session.id, sender: handle.id }),
    lost: () => session.lose(),
    whenDrained: () => session.whenDrained(),
  });
  try {
    await membership.subscribe();
    // The session or the handle may have ended by now.
    if (session.closed || handle.closed) throw new JanusError(459, "The handle was detached");
  } catch (error) {
    await membership.leave();
    throw error;
  }
  return membership;
}

/** The error for the client; an unexpected one stays what it is, for the log. */
function clientError(error: unknown, meaning: FaultMeaning): unknown {
  return toFault(error) === error ? toJanusError(error, meaning) : error;
}

/** The publishing handle of a session. Its membership is that of the session. */
export class Publisher implements HandleRole {
  private peer: string | null = null;
  private readonly candidates = new Candidates();

  constructor(
    private readonly session: HandleSession,
    private readonly handle: RoleHandle,
    private readonly membership: Membership,
  ) {}

  async request(request: RoomRequest, jsep: Jsep | null, answer: Answer): Promise<void> {
    if (request.request === "join")
      throw new JanusError(425, "Already in as a publisher on this handle");
    this.membership.requireActive();
    this.membership.requireRoom(request.room);
    const { room } = this.membership;
    switch (request.request) {
      case "configure":
      case "publish":
        if (jsep) return this.publish(jsep, answer);
        if (request.keyFrame) await this.requestKeyFrame();
        return answer.event({ videoroom: "event", room, configured: "ok" });
      case "unpublish":
        if (this.peer === null) throw new JanusError(435, "Can't unpublish, not published");
        await this.hangup();
        return answer.event({ videoroom: "event", room, unpublished: "ok" });
      case "leave":
        this.session.membership = null;
        await this.membership.leave();
        return answer.event({ videoroom: "event", room, leaving: "ok" });
      case "listparticipants":
        return this.list(answer);
      default:
        throw new JanusError(403, "This request is not allowed for a publisher");
    }
  }

  async trickle(candidate: TrickledCandidate): Promise<void> {
    if (this.membership.active) await this.candidates.add(candidate);
  }

  async hangup(): Promise<void> {
    const { peer, membership } = this;
    if (peer === null) return;
    this.forgetPeer(peer);
    if (membership.active) await this.session.service.closePeer(membership.ref, peer);
  }

  async close(): Promise<void> {
    if (this.session.membership === this.membership) this.session.membership = null;
    await this.membership.leave();
  }

  private async publish({ type, sdp }: Jsep, answer: Answer): Promise<void> {
    if (type !== "offer") throw new JanusError(431, "Invalid SDP type: a publisher sends an offer");
    const { service } = this.session;
    const { ref, room } = this.membership;
    try {
      const connected = await service.publish(ref, "main", sdp);
      const { peer } = connected;
      if (this.peer !== null && this.peer !== peer) this.forgetPeer(this.peer);
      this.peer = peer;
      this.membership.watchPeer(peer, (reason) => this.peerClosed(peer, reason));
      answer.event(
        { videoroom: "event", room, configured: "ok" },
        { type: "answer", sdp: connected.sdp },
      );
      await this.candidates.open(async (candidate) => {
        await service.signal(ref, peer, { candidate });
      });
    } catch (error) {
      this.reportFailure(error);
      throw error;
    }
  }

  /**
   * The client libraries drop the error of a `configure`, and report an error event. Both are sent, so that the
   * application learns of it.
   */
  private reportFailure(error: unknown): void {
    const { code, reason } = toJanusError(error);
    const { room } = this.membership;
    this.emitData({ videoroom: "event", room, error_code: code, error: reason });
  }

  private async requestKeyFrame(): Promise<void> {
    if (this.peer === null) return;
    const message = { publisher: { keyFrame: true } };
    await this.session.service.signal(this.membership.ref, this.peer, message);
  }

  private async list(answer: Answer): Promise<void> {
    const { conference, room } = this.membership;
    const participants = await this.session.service.participants(conference.id);
    const listed = participants.map(listedParticipant);
    answer.result({ videoroom: "participants", room, participants: listed });
  }

  private peerClosed(peer: string, reason: string): void {
    if (this.peer !== peer) return;
    this.forgetPeer(peer);
    const { id: session_id } = this.session;
    this.session.emit({ janus: "hangup", session_id, sender: this.handle.id, reason });
  }

  private forgetPeer(peer: string): void {
    this.membership.unwatchPeer(peer);
    this.peer = null;
    this.candidates.close();
  }

  private emitData(data: Parameters<typeof eventFrame>[2]): void {
    this.session.emit(eventFrame({ session_id: this.session.id }, this.handle.id, data));
  }
}
