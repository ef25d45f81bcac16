import { ackFrame, type Reply, type ReplyTo, successFrame } from "../protocol/frames";
import { JanusError } from "../protocol/janus-error";
import type { HandleRequest } from "../protocol/requests";
import { Answer, type HandleRole, type HandleSession } from "./handle-role";
import { joinAsListener } from "./listener";
import { joinAsPublisher, type RoleHandle } from "./publisher";
import { SerialTasks } from "./serial-tasks";

/** A handle of a session. Its requests run one after the other; its role is decided by its first `join`. */
export class RoomHandle implements RoleHandle {
  private role: HandleRole | null = null;
  private readonly tasks: SerialTasks;
  private detached = false;

  /** @param waitingMax maximum number of requests in progress */
  constructor(
    readonly id: number,
    private readonly session: HandleSession,
    waitingMax: number,
  ) {
    this.tasks = new SerialTasks(waitingMax);
  }

  get closed(): boolean {
    return this.detached;
  }

  /** Resolves when its requests so far are answered or have failed. */
  whenIdle(): Promise<void> {
    return this.tasks.whenIdle();
  }

  /**
   * Handles a request.
   * @throws JanusError, Fault
   */
  async handle(request: HandleRequest, to: ReplyTo, reply: Reply): Promise<void> {
    if (this.tasks.full) throw new JanusError(490, "Too many requests in progress");
    switch (request.kind) {
      case "trickle":
        reply(ackFrame(to));
        return this.tasks.run(async () => this.role?.trickle(request.candidate));
      case "hangup":
        reply(ackFrame(to));
        return this.tasks.run(() => this.hangup());
      case "message": {
        const answer = new Answer(to, this.id, reply, (frame) => this.session.emit(frame));
        return this.tasks.run(() => this.message(request, answer));
      }
      case "detach":
        reply(successFrame(to));
        return this.close();
    }
  }

  /** Detaches the handle: leaves or stops listening, without waiting for its other requests. @throws Fault */
  async close(): Promise<void> {
    this.detached = true;
    await this.role?.close();
  }

  private async message(
    { body, jsep }: Extract<HandleRequest, { kind: "message" }>,
    answer: Answer,
  ): Promise<void> {
    if (this.detached) throw new JanusError(459, "The handle was detached");
    if (this.role) return this.role.request(body, jsep, answer);
    if (body.request !== "join") throw new JanusError(424, "Join a room first");
    this.role =
      body.as === "publisher"
        ? await joinAsPublisher(this.session, this, body, answer)
        : await joinAsListener(this.session, this, body, answer);
  }

  private async hangup(): Promise<void> {
    await this.role?.hangup();
  }
}
