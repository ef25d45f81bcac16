import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type {
  CloseTarget,
  ConnectedPeer,
  ConnectRequest,
  EngineListener,
  EngineRoom,
  EngineState,
  OpenEngine,
  PeerMessage,
  PeerResponse,
} from "../engine";
import { RESULTS, type SfuMethod } from "./ipc/messages";
import { engineUnavailable, SfuProcess } from "./sfu-process";

/** Options of the embedded engine. */
export interface EmbeddedOptions {
  /** The UDP port of all media. */
  port: number;
  /** The address to receive media at; `0.0.0.0` for all. */
  bindAddress: string;
  /** The address that clients reach this host at, if it is behind NAT. */
  announcedAddress?: string;
  log: Log;
  /** Time without any room after which the process ends, in milliseconds; a minute unless a test sets it. */
  idleMs?: number;
}

/** Wait before the next start, which doubles while processes end soon, so that members are back within three seconds. */
const BACKOFF_MS = { first: 100, max: 1_000 };
/** A process that ran for this long starts again after the first back-off, in milliseconds. */
const STABLE_MS = 5_000;
const IDLE_MS = 60_000;
/** Time for closing connections before the process is ended, in milliseconds. */
const CLOSE_MS = 1_000;

/**
 * The embedded engine: an SFU in a process of its own. The process starts with the first room, and ends when no room
 * has been open for a minute. One that dies or hangs is started again.
 */
class EmbeddedEngine implements OpenEngine {
  readonly name = "embedded";
  private process: SfuProcess | null = null;
  private backoff = BACKOFF_MS.first;
  private restart: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;
  private stable: NodeJS.Timeout | undefined;
  private readonly rooms = new Set<string>();
  /** Whether `lost` was reported without `ready` since. */
  private lost = false;
  private closed = false;

  constructor(
    private readonly options: EmbeddedOptions,
    private readonly listener: EngineListener,
  ) {}

  async open(
    room: EngineRoom,
    state?: EngineState,
  ): Promise<{ state: EngineState; resumed: string[] }> {
    if (this.closed || this.lost) throw engineUnavailable();
    clearTimeout(this.idle);
    const process = this.process ?? this.start();
    try {
      await process.started;
      const opened = await this.call(process, "open", [room, state]);
      this.rooms.add(room.room);
      return opened;
    } finally {
      this.checkIdle();
    }
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    return this.call(this.running(), "connect", [request]);
  }

  async signal(peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.call(this.running(), "signal", [peer, message]);
  }

  async close(target: CloseTarget): Promise<void> {
    // Everything in a process that has ended is closed.
    if (!this.process || this.lost) return;
    await this.call(this.process, "close", [target]);
    if (!("peer" in target) && !("member" in target)) this.rooms.delete(target.room);
    this.checkIdle();
  }

  usage(): { rooms: number; peers: number; tracks: number } {
    return this.process?.usage ?? { rooms: 0, peers: 0, tracks: 0 };
  }

  /** The id of the SFU's process, for the measurement of what it uses; undefined while there is none. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  async shutdown(): Promise<void> {
    this.closed = true;
    for (const timer of [this.idle, this.restart, this.stable]) clearTimeout(timer);
    const { process } = this;
    if (!process) return;
    this.process = null;
    if (this.rooms.size > 0) await closeConnections(process);
    await process.end();
  }

  private start(): SfuProcess {
    const { port, bindAddress, announcedAddress, log } = this.options;
    const network = { port, bindAddress, ...(announcedAddress && { announcedAddress }) };
    const process: SfuProcess = new SfuProcess(network, log, {
      event: (event) => {
        if (this.process === process) this.listener(event);
      },
      end: (reason) => this.ended(process, reason),
    });
    this.process = process;
    process.started.then(
      () => this.ready(process),
      () => {},
    );
    return process;
  }

  private ready(process: SfuProcess): void {
    if (this.process !== process) return;
    this.stable = setTimeout(() => {
      this.backoff = BACKOFF_MS.first;
    }, STABLE_MS);
    if (!this.lost) return;
    this.lost = false;
    this.options.log.info("The media server is running again");
    this.checkIdle();
    this.listener({ type: "ready" });
  }

  private ended(process: SfuProcess, reason: string): void {
    // Otherwise the gateway has ended it.
    if (this.process !== process) return;
    this.process = null;
    this.rooms.clear();
    for (const timer of [this.idle, this.stable]) clearTimeout(timer);
    if (this.closed) return;
    this.options.log.error({ reason }, "The media server has ended; it is started again");
    this.restart = setTimeout(() => this.start(), this.backoff);
    this.backoff = Math.min(BACKOFF_MS.max, this.backoff * 2);
    const reported = this.lost;
    this.lost = true;
    if (!reported) this.listener({ type: "lost", reason });
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
    }, this.options.idleMs ?? IDLE_MS);
    this.idle.unref();
  }

  /** @throws Fault UNAVAILABLE if the process has died, NOT_FOUND if there is none, and so no room */
  private running(): SfuProcess {
    if (this.lost || this.closed) throw engineUnavailable();
    if (!this.process) throw new Fault("NOT_FOUND", "No conference is open at the media server");
    return this.process;
  }

  private async call<Method extends Exclude<SfuMethod, "shutdown">>(
    process: SfuProcess,
    method: Method,
    parameters: unknown[],
  ): Promise<ReturnType<(typeof RESULTS)[Method]["parse"]>> {
    const result = await process.request({ method, parameters });
    const { success, data } = RESULTS[method].safeParse(result);
    if (!success) {
      process.kill("sent a result that it should not");
      throw engineUnavailable();
    }
    return data as ReturnType<(typeof RESULTS)[Method]["parse"]>;
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

/** Opens the embedded engine. Nothing is started before the first room. */
export function openEmbeddedEngine(
  options: EmbeddedOptions,
  listener: EngineListener,
): OpenEngine & { readonly pid: number | undefined } {
  return new EmbeddedEngine(options, listener);
}
