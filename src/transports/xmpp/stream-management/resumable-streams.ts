import { LRUCache } from "lru-cache";
import type { Clock } from "../../../core/clock";
import type { Metrics } from "../../../core/metrics";
import { newId } from "../../../core/random";
import type { Party } from "../../../domain/calls/signals/signal";
import { formatUser } from "../stanza/jid";
import { formatPrevid } from "./elements";

/** A device whose stream can be resumed. */
export interface Resumable {
  readonly party: Required<Party>;
  /** Number of the client's stanzas that were handled, and size of its unacknowledged stanzas in bytes. */
  readonly managedStream: { readonly handled: number; readonly bytes: number };
  /** Detaches the device from the router for good. */
  leave(): void;
}

/** Limits of a node's disconnected streams. Above them, the longest disconnected are ended first. */
export interface ResumptionLimits {
  /** Time that a disconnected stream can be resumed, in milliseconds. */
  resumeMs: number;
  /** Maximum number of streams per user and in total, and of the bytes of their unacknowledged stanzas. */
  disconnected: { perUser: number; total: number; bytes: number };
}

/** Limits of the stanza counts of ended streams, kept for clients that try to resume too late. */
const MAX_ENDED = 10_000;
const ENDED_TTL_MS = 600_000;
/** Maximum interval of checks for expired streams, in milliseconds. */
const SWEEP_MS = 1_000;

interface Disconnected {
  /** Time of the disconnection, in milliseconds since the Unix epoch. */
  since: number;
  bytes: number;
  /** Stops watching the session or user of the stream. */
  unwatch: () => void;
}

/** The streams of one endpoint that can be resumed, connected or disconnected (XEP-0198 section 5). */
export class ResumableStreams<Device extends Resumable> {
  private readonly byId = new Map<string, Device>();
  private readonly ids = new Map<Device, string>();
  /** In the order of disconnection. */
  private readonly disconnected = new Map<Device, Disconnected>();
  private readonly perUser = new Map<string, Set<Device>>();
  /** By stream id. */
  private readonly ended = new LRUCache<string, { account: string; handled: number }>({
    max: MAX_ENDED,
    ttl: ENDED_TTL_MS,
  });
  private bytes = 0;
  private sweep: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly limits: ResumptionLimits,
    private readonly deps: { clock: Clock; metrics: Metrics },
  ) {}

  /** Makes the stream of a device resumable. Returns the id of the stream. */
  register(device: Device): string {
    const previd = formatPrevid(newId(), device.party.resource);
    this.byId.set(previd, device);
    this.ids.set(device, previd);
    return previd;
  }

  /** The device of the stream with this id if it belongs to the user, connected or not. */
  find(previd: string, user: Party): Device | undefined {
    const device = this.byId.get(previd);
    return device && formatUser(device.party) === formatUser(user) ? device : undefined;
  }

  /** Number of handled stanzas of an ended stream, if still known. */
  handledCount(previd: string, user: Party): number | undefined {
    const ended = this.ended.get(previd);
    return ended?.account === formatUser(user) ? ended.handled : undefined;
  }

  /**
   * Keeps a device that has lost its connection. Returns false if it cannot be resumed.
   * @param unwatch called when the device ends or is connected again
   */
  keep(device: Device, unwatch: () => void): boolean {
    if (this.closed || !this.ids.has(device)) return false;
    const entry = { since: this.deps.clock.now(), bytes: device.managedStream.bytes, unwatch };
    this.disconnected.set(device, entry);
    this.bytes += entry.bytes;
    const own = this.ofUser(device);
    own.add(device);
    this.deps.metrics.resumableStreams.inc();
    this.sweep ??= setInterval(
      () => this.dropExpired(),
      Math.min(SWEEP_MS, this.limits.resumeMs / 4),
    ).unref();
    const [oldest] = own;
    if (oldest && own.size > this.limits.disconnected.perUser) this.endIfDisconnected(oldest);
    this.enforceLimits();
    return this.disconnected.has(device);
  }

  /** Updates the size of a disconnected device; a connected one does not count. */
  updateSize(device: Device): void {
    const entry = this.disconnected.get(device);
    if (!entry) return;
    this.bytes += device.managedStream.bytes - entry.bytes;
    entry.bytes = device.managedStream.bytes;
    this.enforceLimits();
  }

  /** The device is connected again. */
  markConnected(device: Device): void {
    const entry = this.disconnected.get(device);
    if (!entry) return;
    this.disconnected.delete(device);
    this.bytes -= entry.bytes;
    const own = this.ofUser(device);
    own.delete(device);
    if (own.size === 0) this.perUser.delete(formatUser(device.party));
    this.deps.metrics.resumableStreams.dec();
    entry.unwatch();
    if (this.disconnected.size > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  /** Removes a device that has left; its count of handled stanzas is kept. */
  remove(device: Device): void {
    const previd = this.ids.get(device);
    if (previd === undefined) return;
    this.markConnected(device);
    this.ids.delete(device);
    this.byId.delete(previd);
    this.ended.set(previd, {
      account: formatUser(device.party),
      handled: device.managedStream.handled,
    });
  }

  /** Ends a device if it is disconnected. */
  endIfDisconnected(device: Device): void {
    if (this.disconnected.has(device)) device.leave();
  }

  /** Ends all disconnected devices and accepts no more. */
  close(): void {
    this.closed = true;
    for (const device of [...this.disconnected.keys()]) device.leave();
  }

  private ofUser(device: Device): Set<Device> {
    const account = formatUser(device.party);
    const own = this.perUser.get(account) ?? new Set();
    this.perUser.set(account, own);
    return own;
  }

  private enforceLimits(): void {
    const { total, bytes } = this.limits.disconnected;
    while (this.disconnected.size > total || this.bytes > bytes) {
      const [oldest] = this.disconnected.keys();
      if (!oldest) return;
      this.endIfDisconnected(oldest);
    }
  }

  private dropExpired(): void {
    const due = this.deps.clock.now() - this.limits.resumeMs;
    for (const [device, { since }] of this.disconnected) {
      if (since > due) return;
      this.endIfDisconnected(device);
    }
  }
}
