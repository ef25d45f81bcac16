import { LRUCache } from "lru-cache";
import type { Party } from "../../calls/signal";
import type { Clock } from "../../core/clock";
import type { Metrics } from "../../core/metrics";
import { newId } from "../../core/random";
import { formatUser } from "../jid";
import { formatPrevid } from "./elements";

/** A device whose stream can be resumed. */
export interface Resumable {
  readonly party: Required<Party>;
  /** Stanzas of the client that were handled, and bytes that are kept for it. */
  readonly line: { readonly handled: number; readonly bytes: number };
  /** Leaves the router for good. */
  leave(): void;
}

/** Bounds of what hibernates on one node; the longest without a connection go first. */
export interface HibernationLimits {
  /** Milliseconds that a stream without a connection is kept. */
  resumeMs: number;
  /** How many of one user and of all, and how many bytes all of them keep. */
  hibernating: { perUser: number; inAll: number; bytes: number };
}

/** Counts of streams that are gone, remembered for clients that come too late. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 600_000;
/** How often is looked for streams that are over, at least. */
const SWEEP_MS = 1_000;

interface Sleeper {
  /** When the connection was lost, in milliseconds since the epoch. */
  since: number;
  bytes: number;
  /** Takes back the watch of the session or user that the stream belongs to. */
  withdraw: () => void;
}

/** The streams of one endpoint that can be resumed, and those of them that have no connection. */
export class Hibernation<Device extends Resumable> {
  readonly #byId = new Map<string, Device>();
  readonly #ids = new Map<Device, string>();
  /** In the order they lost their connections. */
  readonly #asleep = new Map<Device, Sleeper>();
  readonly #perUser = new Map<string, Set<Device>>();
  readonly #gone = new LRUCache<string, { account: string; handled: number }>({
    max: REMEMBERED,
    ttl: REMEMBERED_MS,
  });
  #bytes = 0;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly limits: HibernationLimits,
    private readonly parts: { clock: Clock; metrics: Metrics },
  ) {}

  /** Makes a stream one that can be resumed; answers the id that its client is told. */
  admit(device: Device): string {
    const previd = formatPrevid(newId(), device.party.resource);
    this.#byId.set(previd, device);
    this.#ids.set(device, previd);
    return previd;
  }

  /** The stream of this id and user, connected or not. */
  find(previd: string, user: Party): Device | undefined {
    const device = this.#byId.get(previd);
    return device && formatUser(device.party) === formatUser(user) ? device : undefined;
  }

  /** How many stanzas a stream that is gone had handled, as long as that is remembered. */
  handledBy(previd: string, user: Party): number | undefined {
    const gone = this.#gone.get(previd);
    return gone?.account === formatUser(user) ? gone.handled : undefined;
  }

  /**
   * Keeps a device that lost its connection; false when it cannot be resumed.
   * @param withdraw is called once it is over or connected again
   */
  keep(device: Device, withdraw: () => void): boolean {
    if (this.#closed || !this.#ids.has(device)) return false;
    const sleeper = { since: this.parts.clock.now(), bytes: device.line.bytes, withdraw };
    this.#asleep.set(device, sleeper);
    this.#bytes += sleeper.bytes;
    const own = this.#ofUser(device);
    own.add(device);
    this.parts.metrics.hibernating.inc();
    this.#sweep ??= setInterval(
      () => this.#dropExpired(),
      Math.min(SWEEP_MS, this.limits.resumeMs / 4),
    ).unref();
    const [oldest] = own;
    if (oldest && own.size > this.limits.hibernating.perUser) this.drop(oldest);
    this.#fit();
    return this.#asleep.has(device);
  }

  /** Notes that a device keeps more than before; one that is connected counts nothing here. */
  grown(device: Device): void {
    const sleeper = this.#asleep.get(device);
    if (!sleeper) return;
    this.#bytes += device.line.bytes - sleeper.bytes;
    sleeper.bytes = device.line.bytes;
    this.#fit();
  }

  /** The device has a connection again. */
  wake(device: Device): void {
    const sleeper = this.#asleep.get(device);
    if (!sleeper) return;
    this.#asleep.delete(device);
    this.#bytes -= sleeper.bytes;
    const own = this.#ofUser(device);
    own.delete(device);
    if (own.size === 0) this.#perUser.delete(formatUser(device.party));
    this.parts.metrics.hibernating.dec();
    sleeper.withdraw();
    if (this.#asleep.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Forgets a device that has left; its count is remembered. */
  forget(device: Device): void {
    const previd = this.#ids.get(device);
    if (previd === undefined) return;
    this.wake(device);
    this.#ids.delete(device);
    this.#byId.delete(previd);
    this.#gone.set(previd, { account: formatUser(device.party), handled: device.line.handled });
  }

  /** Ends a device that has no connection. */
  drop(device: Device): void {
    if (this.#asleep.has(device)) device.leave();
  }

  /** Ends all that have no connection, and keeps none any more. */
  close(): void {
    this.#closed = true;
    for (const device of [...this.#asleep.keys()]) device.leave();
  }

  #ofUser(device: Device): Set<Device> {
    const account = formatUser(device.party);
    const own = this.#perUser.get(account) ?? new Set();
    this.#perUser.set(account, own);
    return own;
  }

  #fit(): void {
    const { inAll, bytes } = this.limits.hibernating;
    while (this.#asleep.size > inAll || this.#bytes > bytes) {
      const [oldest] = this.#asleep.keys();
      if (!oldest) return;
      this.drop(oldest);
    }
  }

  #dropExpired(): void {
    const due = this.parts.clock.now() - this.limits.resumeMs;
    for (const [device, { since }] of this.#asleep) {
      if (since > due) return;
      this.drop(device);
    }
  }
}
