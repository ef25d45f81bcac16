import type { JsonObject } from "../../../core/json";
import type { TrickledCandidate } from "../../../domain/conferences/engine/engine";
import type { ParticipantIdentity } from "../../../domain/conferences/model/conference";
import type { ConferenceService } from "../../../domain/conferences/model/conference-service";
import {
  ackFrame,
  eventFrame,
  type Frame,
  type Reply,
  type ReplyTo,
  resultFrame,
} from "../protocol/frames";
import type { Jsep } from "../protocol/requests";
import type { RoomRequest } from "../protocol/room-requests";
import type { Membership } from "./membership";

/** What handles need of their session. */
export interface HandleSession {
  readonly id: number;
  readonly identity: ParticipantIdentity;
  readonly service: ConferenceService;
  /** Whether the session has ended; what was opened since is closed again. */
  readonly closed: boolean;
  /** The conference that the session has joined; null before a join and after leaving. */
  membership: Membership | null;
  /** Whether a join is in progress. */
  joining: boolean;
  emit(frame: Frame): void;
  whenDrained(): Promise<void>;
  /** Ends the session, because its conference is lost. */
  lose(): void;
}

/** What a handle does after its join: publish, or listen to one feed. */
export interface HandleRole {
  /** @throws JanusError, Fault */
  request(request: RoomRequest, jsep: Jsep | null, answer: Answer): Promise<void>;
  /** @throws Fault */
  trickle(candidate: TrickledCandidate): Promise<void>;
  /** Closes the peer connection. @throws Fault */
  hangup(): Promise<void>;
  /** The handle is detached. @throws Fault */
  close(): Promise<void>;
}

/** The answer to one request of a handle. */
export class Answer {
  constructor(
    private readonly to: ReplyTo,
    private readonly handleId: number,
    private readonly reply: Reply,
    private readonly emit: (frame: Frame) => void,
  ) {}

  /** Accepts the request, and sends its result as an event. */
  event(data: JsonObject, jsep?: Frame["jsep"]): void {
    this.reply(ackFrame(this.to));
    this.emit(eventFrame(this.to, this.handleId, data, jsep));
  }

  /** Sends the result of a synchronous request. */
  result(data: JsonObject): void {
    this.reply(resultFrame(this.to, this.handleId, data));
  }
}
