import type { Log } from "../../../../core/log";
import type { EngineEvent } from "../engine";
import type { NetworkMessage } from "./ipc/messages";
import { engineUnavailable, SfuProcess } from "./sfu-process";

/**
 * Wait before the next start, which doubles while processes end soon, so that participants are back within three
 * seconds.
 */
const BACKOFF_MS = { first: 100, max: 1_000 };
/** A process that ran for this long starts again after the first back-off, in milliseconds. */
const STABLE_MS = 5_000;
/** Time for closing connections before the process is ended, in milliseconds. */
const CLOSE_MS = 1_000;

/** What a slot needs. */
export interface ProcessSlotOptions {
  network: NetworkMessage;
  log: Log;
  /** Time without any room after which the process ends, in milliseconds. */
  idleMs: number;
  /** An event of a room of the running process. */
  event(event: EngineEvent): void;
  /** The process has ended by itself or hung. Its rooms are lost. */
  died(reason: string): void;
}

/**
 * One port of the embedded engine with the process that serves it: none before the first room and a minute after the
 * last one; a process that dies is followed by the next one when a room opens again.
 */
export class ProcessSlot {
  private process: SfuProcess | null = null;
  private readonly rooms = new Set<string>();
  private backoff = BACKOFF_MS.first;
  /** Until when no process may start after one that has died; resolves earlier at the end. */
  private pause: { over: Promise<void>; end(): void } | null = null;
  private idle: NodeJS.Timeout | undefined;
  private stable: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: ProcessSlotOptions) {}

  /** The running process; null for none. */
  get running(): SfuProcess | null {
    return this.process;
  }

  /**
   * Opens a room by `open` in the process, which is started if there is none.
   * @throws Fault UNAVAILABLE if the process does not start, errors of `open`
   */
  async open<T>(room: string, open: (process: SfuProcess) => Promise<T>): Promise<T> {
    clearTimeout(this.idle);
    await this.pause?.over;
    if (this.closed) throw engineUnavailable();
    const process = this.process ?? this.start();
    try {
      await process.started;
      const opened = await open(process);
      if (this.process !== process) throw engineUnavailable();
      this.rooms.add(room);
      return opened;
    } finally {
      this.checkIdle();
    }
  }

  /** Whether the room is open in the running process. */
  has(room: string): boolean {
    return this.rooms.has(room);
  }

  /** The room is closed. */
  release(room: string): void {
    this.rooms.delete(room);
    this.checkIdle();
  }

  /** Ends the process, after it has closed its connections. A process that hangs is ended after a second. */
  async shutdown(): Promise<void> {
    this.closed = true;
    for (const timer of [this.idle, this.stable]) clearTimeout(timer);
    this.pause?.end();
    const { process } = this;
    if (!process) return;
    this.process = null;
    if (this.rooms.size > 0) await closeConnections(process);
    await process.end();
  }

  private start(): SfuProcess {
    const { network, log, event } = this.options;
    const process: SfuProcess = new SfuProcess(network, log, {
      event: (each) => {
        if (this.process === process) event(each);
      },
      end: (reason) => this.ended(process, reason),
    });
    this.process = process;
    this.stable = setTimeout(() => {
      this.backoff = BACKOFF_MS.first;
    }, STABLE_MS);
    return process;
  }

  private ended(process: SfuProcess, reason: string): void {
    // Otherwise the gateway has ended it.
    if (this.process !== process) return;
    this.process = null;
    this.rooms.clear();
    for (const timer of [this.idle, this.stable]) clearTimeout(timer);
    const { port } = this.options.network;
    this.options.log.error({ reason, port }, "A media server process has ended");
    this.wait();
    this.options.died(reason);
  }

  /** Lets some time pass before the next start. */
  private wait(): void {
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.backoff);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const pause = { over, end };
    this.pause = pause;
    void over.then(() => {
      if (this.pause === pause) this.pause = null;
    });
    this.backoff = Math.min(BACKOFF_MS.max, this.backoff * 2);
  }

  /** Ends the process when no room has been open for a while. */
  private checkIdle(): void {
    clearTimeout(this.idle);
    if (this.rooms.size > 0 || !this.process) return;
    this.idle = setTimeout(() => {
      const { process } = this;
      this.process = null;
      clearTimeout(this.stable);
      void process?.end();
    }, this.options.idleMs);
    this.idle.unref();
  }
}

/** Closes the connections of a process, so that clients notice it at once. */
async function closeConnections(process: SfuProcess): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  const closed = process.request({ method: "shutdown", parameters: [] }).catch(() => {});
  await Promise.race([closed, limit]);
  clearTimeout(timer);
}
