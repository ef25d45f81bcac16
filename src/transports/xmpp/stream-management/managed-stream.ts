import { setTimeout as delay } from "node:timers/promises";
import type { StreamCondition } from "../stanza/error";
import type { Stream } from "../stream/stream";
import { StanzaAcknowledgements, type StreamManagementLimits } from "./acknowledgements";
import { acknowledgement, enabled, resumed } from "./elements";

/** Interval of checks whether the stream is drained, in milliseconds. */
const DRAIN_POLL_MS = 20;

/** Events of a managed stream. */
export interface ManagedStreamEvents {
  /** The client has acknowledged everything up to this cursor of its inbox. */
  acknowledged(cursor: string): void;
  /** A stanza was queued for a disconnected client. */
  queued(): void;
  /** The unacknowledged stanzas exceed their limits. */
  overflowed(): void;
}

/**
 * Sends stanzas to one client. With stream management it keeps the unacknowledged stanzas, outlives its
 * stream and can continue on another one (XEP-0198 section 5).
 */
export class ManagedStream {
  private stream: Stream | undefined;
  private acks: StanzaAcknowledgements | undefined;
  /** False from the move to a new stream until `<resumed/>` is sent: nothing may be sent before it. */
  private mayWrite = true;
  private drainWaiters: (() => void)[] = [];

  constructor(
    stream: Stream,
    private readonly limits: StreamManagementLimits,
    private readonly events: ManagedStreamEvents,
  ) {
    this.stream = stream;
  }

  /** Whether stream management is on. */
  get managementEnabled(): boolean {
    return this.acks !== undefined;
  }

  /** Number of the client's stanzas handled since stream management was enabled, modulo 2^32. */
  get handled(): number {
    return this.acks?.handled ?? 0;
  }

  /** Size of the unacknowledged stanzas, in bytes. */
  get bytes(): number {
    return this.acks?.unacked.bytes ?? 0;
  }

  /** Address of the client; null if it is unknown or the client is disconnected. */
  get ip(): string | null {
    return this.stream?.transport.ip ?? null;
  }

  /** Whether this is the current stream. */
  usesStream(stream: Stream): boolean {
    return this.stream === stream;
  }

  /**
   * Sends a stanza.
   * @param cursor cursor of a call signal in the inbox
   */
  send(xml: string, cursor?: string): void {
    const acks = this.acks;
    if (!acks) this.stream?.send(xml);
    else if (!acks.unacked.push(xml, cursor)) this.events.overflowed();
    else {
      if (this.stream) this.sendUncounted(xml);
      else this.events.queued();
      acks.countSent();
    }
  }

  /** Sends an element that is not a stanza and is not counted. */
  sendUncounted(xml: string): void {
    if (this.mayWrite) this.stream?.send(xml);
  }

  /** Counts a stanza of the client as handled. */
  countHandled(): void {
    this.acks?.countHandled();
  }

  /** A request for an acknowledgement, as a liveness probe; undefined without stream management. */
  ackRequest(): string | undefined {
    return this.acks?.ackRequest();
  }

  /** Acknowledges the client's stanzas. */
  sendAck(): void {
    this.sendUncounted(acknowledgement(this.handled));
  }

  /** Handles the client's acknowledgement. */
  handleAck(h: number): void {
    if (!this.acks) return;
    const cursor = this.acks.handleAck(h);
    if (cursor !== undefined) this.events.acknowledged(cursor);
    if (!this.isOverHalfFull()) this.resolveWaiters();
  }

  /**
   * Turns stream management on and confirms it.
   * @param previd the id for a resumption; undefined if the stream cannot be resumed
   */
  enable(previd: string | undefined): void {
    this.sendUncounted(enabled(previd));
    this.acks = new StanzaAcknowledgements(this.limits, (xml) => this.sendUncounted(xml));
  }

  /** The connection is lost: stanzas are queued from now on. */
  markDisconnected(): void {
    this.stream = undefined;
    this.acks?.pause();
  }

  /**
   * Moves to another stream, without sending anything until {@link resume}. A previous stream that is still
   * open ends with `conflict`.
   */
  moveTo(stream: Stream): void {
    const previous = this.stream;
    this.stream = stream;
    this.mayWrite = false;
    this.acks?.pause();
    previous?.fail("conflict", "Resumed on a new connection");
  }

  /**
   * Confirms the resumption and sends the unacknowledged stanzas again, in order.
   * @param h the client's count of received stanzas
   */
  resume(previd: string, h: number): void {
    this.mayWrite = true;
    this.sendUncounted(resumed(previd, this.handled));
    this.handleAck(h);
    for (const xml of this.acks?.unacked.stanzas() ?? []) this.stream?.send(xml);
    this.acks?.resume();
  }

  /**
   * Back-pressure: resolves when the client has received what was sent or, with stream management, has
   * acknowledged so much that the queue is at most half full. Undefined if that is already the case.
   */
  whenDrained(): Promise<void> | undefined {
    if (this.acks) {
      if (!this.isOverHalfFull()) return undefined;
      return new Promise((resolve) => this.drainWaiters.push(resolve));
    }
    return this.isStreamDrained() ? undefined : this.whenStreamDrained();
  }

  private async whenStreamDrained(): Promise<void> {
    while (!this.isStreamDrained()) await delay(DRAIN_POLL_MS);
  }

  private isStreamDrained(): boolean {
    return !this.stream || this.stream.drained || this.stream.closing;
  }

  /** Ends the stream with an error. Returns false if the client is disconnected. */
  fail(condition: StreamCondition, text?: string): boolean {
    this.stream?.fail(condition, text);
    return this.stream !== undefined;
  }

  /** The device has left: stops the timers and resolves what waits. */
  end(): void {
    this.acks?.pause();
    this.resolveWaiters();
  }

  private isOverHalfFull(): boolean {
    const { stanzas, bytes } = this.limits.unacknowledged;
    const queue = this.acks?.unacked;
    return queue !== undefined && (queue.size > stanzas / 2 || queue.bytes > bytes / 2);
  }

  private resolveWaiters(): void {
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }
}
